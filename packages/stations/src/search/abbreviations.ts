/**
 * Short forms that travellers type, by their folded words, with the words that names have. Written from general knowledge; to be checked against
 * the abbreviations of the OpenStreetMap wiki ("Name finder: Abbreviations") and the variants of Nominatim.
 */
const TABLE = `
hlavni nadrazi = hl n
hl nadr = hl n
hlavna stanica = hl st
gl kol = glavni kolodvor
gl kolodvor = glavni kolodvor
gl = glowny
glowna = glowny
zach = zachodnia
wsch = wschodnia
fernbahnhof = fernbf
westbf = westbahnhof
westbhf = westbahnhof
ostbf = ostbahnhof
ostbhf = ostbahnhof
sudbf = sudbahnhof
nordbf = nordbahnhof
flugh = flughafen
flh = flughafen
apt = airport
wr = wiener
bad bf = badischer bahnhof
bad bhf = badischer bahnhof
i br = breisgau
i brsg = breisgau
a m = main
a main = main
a d oder = oder
eur = europe
gd = gare du
c le = centrale
p ta = porta
p za = piazza
smn = santa maria novella
s m n = santa maria novella
pn = porta nuova
pg = porta garibaldi
fs = stazione
sta = santa
sto = santo
est = estacion
estac = estacion
pta = puerta
pza = plaza
apd = apeadero
cs = centraal
c s = centraal
int l = international
intl = international
rd = road
x = cross
xing = crossing
pkwy = parkway
jn = junction
jct = junction
jcn = junction
picc = piccadilly
wav = waverley
a dam = amsterdam
adam = amsterdam
r dam = rotterdam
d dorf = dusseldorf
ddorf = dusseldorf
b ham = birmingham
bham = birmingham
m chester = manchester
manc = manchester
l pool = liverpool
w wa = warszawa
wawa = warszawa
bp = budapest
bln = berlin
hh = hamburg
hmb = hamburg
hbg = hamburg
ffm = frankfurt main
ffo = frankfurt oder
muc = munchen
mue = munchen
nbg = nurnberg
nue = nurnberg
stgt = stuttgart
bxl = bruxelles
bru = bruxelles
antw = antwerpen
zh = zurich
zch = zurich
ldn = london
lon = london
bcn = barcelona
mad = madrid
vlc = valencia
zgz = zaragoza
svq = sevilla
mrs = marseille
mtp = montpellier
cph = kobenhavn
kbh = kobenhavn
sthlm = stockholm
gbg = goteborg
`;

/** Short forms by their first word, the longer ones first. */
const SHORT_FORMS: ReadonlyMap<string, readonly ShortForm[]> = readTable();

interface ShortForm {
  readonly typed: readonly string[];
  readonly meant: readonly string[];
}

function readTable(): Map<string, readonly ShortForm[]> {
  const forms = new Map<string, readonly ShortForm[]>();
  for (const line of TABLE.trim().split('\n')) {
    const [typed = [], meant = []] = line.split(' = ').map((words) => words.split(' '));
    const first = typed[0] ?? '';
    const some = [...(forms.get(first) ?? []), { typed, meant }];
    forms.set(
      first,
      some.sort((one, other) => other.typed.length - one.typed.length),
    );
  }
  return forms;
}

/** Returns folded words with each short form written out, or `undefined` if there is none. */
export function writtenOut(words: readonly string[]): string[] | undefined {
  const out: string[] = [];
  let isChanged = false;
  for (let place = 0; place < words.length; ) {
    const form = SHORT_FORMS.get(words[place] ?? '')?.find(({ typed }) =>
      typed.every((word, at) => words[place + at] === word),
    );
    out.push(...(form?.meant ?? [words[place] ?? '']));
    place += form?.typed.length ?? 1;
    isChanged ||= form !== undefined;
  }
  return isChanged ? out : undefined;
}
