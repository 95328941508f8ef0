import { type Behaviour, failWith, respond } from './faulty-provider.ts'

/** The vector of each meaning. The first of these words in a text determines its meaning. */
const MEANINGS: Record<string, readonly number[]> = { cat: [1, 0, 0], kitten: [0.9, 0.1, 0], car: [0, 1, 0], boat: [0, 0.6, 0.8] }
const meaningOf = (text: string): readonly number[] =>
  Object.entries(MEANINGS).find(([word]) => text.includes(word))?.[1] ?? [0.5, 0.5, 0.5]

/** Embeds each text as a vector. */
export const embedWith =
  (vectorOf: (text: string) => readonly number[]): Behaviour =>
  (socket, call) => {
    const { input } = JSON.parse(call.body) as { input: string[] }
    respond({ data: input.map((text, index) => ({ index, embedding: vectorOf(text) })) })(socket, call)
  }

/** Embeds texts by their meaning. A model `…-4` has a fourth dimension and reversed vectors. Refuses texts with `poison`. */
export const embedByMeaning: Behaviour = (socket, call) => {
  const { input, model } = JSON.parse(call.body) as { input: string[]; model: string }
  const vectorOf = (text: string) => (model.endsWith('-4') ? [...meaningOf(text).toReversed(), 0.1] : meaningOf(text))
  if (input.some((text) => text.includes('poison'))) return failWith(400)(socket, call)
  embedWith(vectorOf)(socket, call)
}
