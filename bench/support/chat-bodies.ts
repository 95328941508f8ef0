import { pick, type Random, seeded } from './random.ts'

export const MODEL = 'mock-model'
/** The provider sends a completion of 100 chunks for this model. */
export const LONG_MODEL = 'mock-long'

const WORDS = `account address agreement amount annual approval archive assistant balance board budget building calendar
campaign carrier change client colleague committee company complaint contract customer deadline delivery department device
discount draft employee engineer estimate event factory feature feedback figure finance forecast goods holiday invoice issue
journal keyboard laboratory language launch ledger licence location machine manager market material meeting member message
minute month network notice number office order package partner payment people period person phone plan platform policy
process product programme project proposal purchase quality quarter question reason receipt record region release report
request response result review risk sample schedule section server service shipment source staff station storage summary
supplier support survey system target team ticket training transfer travel update vendor version visitor warehouse week`.split(
  /\s+/,
)
const VERBS = ['explains', 'needs', 'changes', 'follows', 'confirms', 'replaces', 'describes', 'covers']
const SENTENCES: readonly ((word: () => string, random: Random) => string)[] = [
  (word, random) => `The ${word()} of the ${word()} ${pick(random, VERBS)} the ${word()} for this ${word()}.`,
  (word, random) => `Please compare the ${word()} with ${word()} ${100 + Math.floor(random() * 900)} and the ${word()}.`,
  (word, random) =>
    `On ${1 + Math.floor(random() * 28)} March the ${word()} came to ${(random() * 9_000).toFixed(2)} euros in total.`,
  (word) => `Could the ${word()} team send a ${word()} about the ${word()} before the ${word()} starts?`,
]

/** Returns office prose of about `length` characters with amounts, dates and numbers, so that the detectors have candidates. */
function prose(random: Random, length: number): string {
  const word = () => pick(random, WORDS)
  let text = ''
  while (text.length < length) text += `${text ? ' ' : ''}${pick(random, SENTENCES)(word, random)}`
  return text
}

export const SHORT_ANSWER = prose(seeded(1), 470)
/** 100 chunks of about 24 characters. */
export const LONG_ANSWER = prose(seeded(2), 2_400)

/**
 * Chat requests of three messages of about 300 characters. All differ, so that no cache helps. One in ten has an e-mail address.
 */
export function chatBodies(count: number, more: object = {}, seed = 3): string[] {
  const random = seeded(seed)
  return Array.from({ length: count }, (_, index) => {
    const contact = index % 10 === 0 ? ` Write to ${pick(random, WORDS)}.${pick(random, WORDS)}@example.org about it.` : ''
    const messages = [
      { role: 'system', content: prose(random, 280) },
      { role: 'assistant', content: prose(random, 280) },
      { role: 'user', content: prose(random, 280) + contact },
    ]
    return JSON.stringify({ model: MODEL, messages, governance: { user: { id: `user-${index % 50}`, role: 'clerk' } }, ...more })
  })
}

/** A request with messages of 4,000 characters that `history` determines, and a last one of 300 that `turn` determines. */
export function conversation(kilobytes: number, history: number, turn: number): string {
  const random = seeded(history)
  const messages = Array.from({ length: Math.ceil(kilobytes / 4) }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: prose(random, 4_000),
  }))
  messages.push({ role: 'user', content: prose(seeded(turn), 300) })
  return JSON.stringify({ model: MODEL, messages, governance: { user: { id: 'user-1', role: 'clerk' } } })
}
