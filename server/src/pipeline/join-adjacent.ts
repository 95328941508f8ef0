import type { Passage } from '../domains/knowledge/search.ts'

/** Passages of a document that follow each other, as one text in their reading order. */
export interface JoinedPassage extends Pick<Passage, 'title' | 'source' | 'updatedAt' | 'headings' | 'content'> {
  readonly ids: readonly string[]
}

/** Characters: longer repetitions between chunks do not occur (domains/knowledge/chunking/chunk.ts), shorter ones are chance. */
const MAX_OVERLAP = 2_000
const MIN_OVERLAP = 16

/** Joins adjacent passages, so that a model reads a text once and in its order. The best passage of each group gives its place. */
export function joinAdjacent(passages: readonly Passage[]): readonly JoinedPassage[] {
  const groups = new Map<Passage, Passage[]>()
  const groupAt = new Map<string, Passage[]>()
  for (const passage of passages) {
    const [before, after] = [-1, 1].map((step) => groupAt.get(placeOf(passage, step)))
    const group = [...(before ?? []), passage, ...(after ?? [])]
    const best = passages.find((each) => group.includes(each)) ?? passage
    for (const member of group) {
      groups.delete(member)
      groupAt.set(placeOf(member), group)
    }
    groups.set(best, group)
  }
  return passages.flatMap((passage) => {
    const group = groups.get(passage)
    return group ? joined(group) : []
  })
}

const placeOf = ({ documentId, position }: Passage, step = 0): string => `${documentId} ${position + step}`

function joined(group: readonly Passage[]): JoinedPassage {
  const [first, ...others] = group as [Passage, ...Passage[]]
  let [content, headings] = [first.content, first.headings]
  for (const next of others) {
    const isSameSection = next.headings.join('\n') === headings.join('\n')
    const text = next.content.slice(overlapOf(content, next.content))
    content += isSameSection || next.headings.length === 0 ? `\n${text}` : `\n\n${next.headings.join(' › ')}\n${text}`
    headings = next.headings
  }
  return { ...first, ids: group.map(({ id }) => id), content }
}

/** The length of the longest end of a text that the next one repeats. */
function overlapOf(text: string, next: string): number {
  for (let length = Math.min(MAX_OVERLAP, text.length, next.length); length >= MIN_OVERLAP; length--) {
    if (next[length - 1] === text.at(-1) && text.endsWith(next.slice(0, length))) return length
  }
  return 0
}
