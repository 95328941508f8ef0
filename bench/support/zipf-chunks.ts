import { pick, type Random, seeded } from './random.ts'

/** A generated chunk as a list of term numbers with repetitions. */
export interface ZipfChunk {
  readonly partition: number
  readonly terms: Int32Array
}

const VOCABULARY = 200_000
/** Shift of the Zipf–Mandelbrot law, because the most frequent words of a language are stop words. */
const SHIFT = 20
const LENGTH = 85
/** Number of words that belong to one partition, and their share of its text. */
const OWN_WORDS = 400
const OWN_SHARE = 0.25

/** Generates `count` chunks of about 75 distinct terms, evenly over `partitions`. Equal seeds give equal chunks. */
export function zipfChunks(count: number, partitions: number, seed = 5): ZipfChunk[] {
  const random = seeded(seed)
  const anyTerm = zipf(random)
  const own = Array.from({ length: partitions }, () => Array.from({ length: OWN_WORDS }, anyTerm))
  return Array.from({ length: count }, (_, at) => {
    const partition = Math.floor((at * partitions) / count)
    const subjects = own[partition] ?? []
    const term = (): number => (random() < OWN_SHARE ? pick(random, subjects) : anyTerm())
    return { partition, terms: Int32Array.from({ length: LENGTH + Math.floor(random() * 21) - 10 }, term) }
  })
}

function zipf(random: Random): () => number {
  const sums = new Float64Array(VOCABULARY)
  let sum = 0
  for (let rank = 0; rank < VOCABULARY; rank++) {
    sum += 1 / (rank + SHIFT)
    sums[rank] = sum
  }
  return () => {
    const wanted = random() * sum
    let [low, high] = [0, VOCABULARY - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) < wanted) low = middle + 1
      else high = middle
    }
    return low
  }
}

const SYLLABLES = 'ba de fi go hu ka le mi no pu ra se ti vo zu an er is ol ut'.split(' ')

/** Returns the word of a term number. Each number has its own word. */
export function wordOf(term: number): string {
  let word = ''
  for (let rest = term + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    word += SYLLABLES[rest % SYLLABLES.length]
  }
  return word
}
