/** One document of the store, some 110 bytes as JSON. */
export interface Worm {
  /** Position in the order of insertion, from 1. */
  readonly id: number;
  /** Questions are for a class. No store has an index of it. */
  readonly class: string;
  readonly name: string;
  readonly lengthMm: number;
  readonly habitat: string;
  /** `YYYY-MM-DD`. */
  readonly foundOn: string;
}

/** The fields of a {@link Worm}, in the order in which every store writes them. */
export const WORM_FIELDS = ['id', 'class', 'name', 'lengthMm', 'habitat', 'foundOn'] as const;

/** Most documents in one answer: the first ones. */
export const MOST_FOUND = 10;

/** Table or collection that only this demo uses. It is dropped if it holds other documents than `--worms` asks for. */
export const WORM_TABLE = 'ticketing_demo_worms';

const SEED = 0x5eed_3017;
const FIRST_DAY = Date.UTC(2000, 0, 1);
const DAYS = 9000;
const DAY_MS = 86_400_000;

/** Returns the document with this id: the same in every store and at every start. All draws are uniform and independent. */
export function worm(id: number): Worm {
  const draw = drawsOf(id);
  return {
    id,
    class: one(CLASS_WORDS, draw()),
    name: `${one(FIRST_NAMES, draw())} ${one(SURNAMES, draw())}`,
    lengthMm: 10 + Math.floor(draw() * 490),
    habitat: one(HABITATS, draw()),
    foundOn: new Date(FIRST_DAY + Math.floor(draw() * DAYS) * DAY_MS).toISOString().slice(0, 10),
  };
}

/** Returns the documents from `first` to `last`, both included. */
export function* worms(first: number, last: number): Generator<Worm> {
  for (let id = first; id <= last; id++) yield worm(id);
}

function one(words: readonly string[], draw: number): string {
  return words[Math.floor(draw * words.length)] as string;
}

/** Draws numbers from 0 to below 1 by mulberry32 (T. Ettinger, public domain), seeded for each document. */
function drawsOf(id: number): () => number {
  let state = Math.imul(id, 0x9e37_79b1) ^ SEED;
  return () => {
    state = (state + 0x6d2b_79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const list = (words: string): readonly string[] => words.trim().split(/\s+/);

/** Names of classes. Each has about the same number of documents. */
export const CLASS_WORDS: readonly string[] = list(`
  adapt adopt advance align amplify analyze anchor append archive arrange array assemble assist attach audit augment
  automate backup balance bandwidth baseline batch benchmark bind blend boost bridge broadcast buffer build bundle bypass
  cache calibrate capture card cascade catalog certify chain channel circuit clarify classify cluster collate combine
  compile compose compress compute configure connect consolidate context convert copy correlate couple cultivate cycle
  database decode deliver deploy derive design detect digest digitize direct discover dispatch distribute divide document
  drive driver edit elevate embrace empower enable encode encrypt engage engineer enhance enlist ensure envision equip
  establish evolve examine exchange execute expand expedite explore export extend extract facilitate fasten feed fetch
  filter finish firewall firmware focus fold foster frame fuse gather generate govern grade grant graph group grow guide
  handle hardware harness harvest hash host hub hybrid identify illustrate implement import improve incubate index
  innovate input inspect install integrate interface invent iterate join journal kernel kindle label lattice launch layer
  lead leverage link listen load locate loop magnify maintain manage map matrix maximize measure merge mesh microchip
  migrate minimize mirror mobilize model moderate modify monitor morph navigate network normalize notify observe offset
  open operate optimize orchestrate order organize outline output override pack panel parse partition patch persist pilot
  pixel plan plug port present preserve prime probe process produce program project protect protocol prove prune publish
  pulse query queue quantify reach rebuild recover redefine reduce refine reflect register relay release render repair
  replicate report reset reshape resolve restore retrieve reveal review revolve rotate route sample scale scan schedule
  secure seek segment select sensor sequence serve shape share shift signal simplify sketch slice solve sort source split
  stabilize stage standardize store stream strengthen structure succeed supply support surface survey sustain switch
  synthesize system tag target test thread throttle track train transfer transform transition translate transmit traverse
  trigger tune turn unfold unify unite unlock update upgrade upload utilize validate value vary verify view visualize
  weave weigh widen wire work wrap yield
`);

/** First names and surnames of worms. */
const FIRST_NAMES: readonly string[] = list(`
  Ada Alba Anselm Astrid Basil Bruna Casper Celia Dario Delia Edgar Elsa Fabian Flora Gaspar Greta Hugo Ines Ivo Juno
  Karim Lena Linus Mara Milo Nadia Nestor Olga Oskar Petra Quentin Rosa Rufus Selma Silas Tilda Ulric Vera Wanda Zeno
`);

const SURNAMES: readonly string[] = list(`
  Ashford Barrow Burrows Clayton Coil Crumb Delver Digby Diggory Fallow Furrow Garden Glebe Harrow Hollow Humus Loamer
  Marl Meadow Mould Muck Orchard Peat Rains Ridley Rootham Sandford Segment Silt Slater Soames Sod Tillman Trench Tunnel
  Turner Underhill Waters Wells Wriggle
`);

/** Habitats of worms. */
const HABITATS: readonly string[] = list(`
  bark beach bog clay compost creek ditch dune estuary fen field forest garden glade gravel grove heath hedge lawn loam
  marsh meadow moss mud orchard pasture peat pond reef riverbed sand scree silt steppe swamp turf vineyard
`);
