import { DETECTORS } from '../../server/src/domains/classification/detectors.ts'
import { scan } from '../../server/src/domains/classification/scan.ts'
import { HOSTILE_UNITS, repeated } from '../../server/test/support/classification/hostile-texts.ts'
import type { Data } from './data.ts'

const MESSAGE_LENGTH = 500
const ROUNDS = 200
const MEBI = 1 << 20
const SLOWEST = 5

const all = (texts: readonly string[]) => scan(texts, { detectors: DETECTORS, budgetMs: Number.POSITIVE_INFINITY })

/** Minimum of many rounds in microseconds per text, because other work on the machine only adds time. */
function leastMicroseconds<T>(texts: readonly T[], work: (text: T) => unknown): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    for (const text of texts) work(text)
    least = Math.min(least, performance.now() - start)
  }
  return (1_000 * least) / texts.length
}

const cut = (texts: readonly string[]): string[] =>
  texts.flatMap((text) => Array.from({ length: Math.floor(text.length / MESSAGE_LENGTH) }, (_, i) => pieceOf(text, i)))

/** Copies the piece into a flat string, as the text of a request is. */
const pieceOf = (text: string, i: number): string =>
  Buffer.from(text.slice(i * MESSAGE_LENGTH, (i + 1) * MESSAGE_LENGTH)).toString('utf8')

/** Cost of an ordinary message, all detectors. */
export function benchMessages(data: Data): string[][] {
  const messages: Readonly<Record<string, readonly string[]>> = {
    'harmless prompts and documents (PIGuard), pieces of 500 characters': cut(
      data.prompts.filter(({ label }) => label === 0).map(({ prompt }) => prompt),
    ),
    'e-mails (BIPIA), pieces of 500 characters': cut(data.emails),
    'short messages full of personal data (presidio)': data.presidio.slice(0, 400).map(({ full_text }) => full_text),
  }
  return Object.entries(messages).map(([name, texts]) => [
    name,
    `${leastMicroseconds(texts, (text) => all([text])).toFixed(1)} µs`,
  ])
}

/** CPU time of the slowest shapes of hostile text, all detectors. */
export function benchHostile(): string[][] {
  const rows = Object.entries(HOSTILE_UNITS).map(([name, unit]) => {
    const text = repeated(unit, MEBI)
    let least = Number.POSITIVE_INFINITY
    for (let i = 0; i < 4; i++) {
      const { user, system } = process.threadCpuUsage()
      all([text])
      const now = process.threadCpuUsage()
      least = Math.min(least, (now.user + now.system - user - system) / 1_000)
    }
    return { name, least }
  })
  rows.sort((a, b) => b.least - a.least)
  return rows
    .slice(0, SLOWEST)
    .map(({ name, least }, index) => [
      `hostile text of a mebibyte, number ${index + 1} of the slowest of ${rows.length} shapes: ${name}`,
      `${least.toFixed(0)} ms`,
    ])
}
