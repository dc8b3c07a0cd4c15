const list = (words: string): readonly string[] => words.trim().split(/\s+/);

/** Names of classes: words as a generator of them would draw, with as many documents each. */
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
export const FIRST_NAMES: readonly string[] = list(`
  Ada Alba Anselm Astrid Basil Bruna Casper Celia Dario Delia Edgar Elsa Fabian Flora Gaspar Greta Hugo Ines Ivo Juno
  Karim Lena Linus Mara Milo Nadia Nestor Olga Oskar Petra Quentin Rosa Rufus Selma Silas Tilda Ulric Vera Wanda Zeno
`);

export const SURNAMES: readonly string[] = list(`
  Ashford Barrow Burrows Clayton Coil Crumb Delver Digby Diggory Fallow Furrow Garden Glebe Harrow Hollow Humus Loamer
  Marl Meadow Mould Muck Orchard Peat Rains Ridley Rootham Sandford Segment Silt Slater Soames Sod Tillman Trench Tunnel
  Turner Underhill Waters Wells Wriggle
`);

/** Where worms are found. */
export const HABITATS: readonly string[] = list(`
  bark beach bog clay compost creek ditch dune estuary fen field forest garden glade gravel grove heath hedge lawn loam
  marsh meadow moss mud orchard pasture peat pond reef riverbed sand scree silt steppe swamp turf vineyard
`);
