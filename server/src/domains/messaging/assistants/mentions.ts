/** Before the `@` or after the name, such a character means that it is no mention: `ann@example.com` is an address. */
const WORD_CHARACTER = /[\p{L}\p{N}_@-]/u

interface Mentionable {
  readonly username: string
}

/** The candidate that is mentioned first as `@username`, in any case. If two names match at one place, the longer one counts. */
export function findFirstMentioned<T extends Mentionable>(text: string, candidates: readonly T[]): T | undefined {
  const lower = text.toLowerCase()
  const mentions = candidates.flatMap((candidate) => {
    const name = candidate.username.toLowerCase()
    const at = indexOfMention(lower, `@${name}`)
    return at < 0 ? [] : [{ at, length: name.length, candidate }]
  })
  mentions.sort((a, b) => a.at - b.at || b.length - a.length)
  return mentions[0]?.candidate
}

function indexOfMention(text: string, mention: string): number {
  for (let at = text.indexOf(mention); at >= 0; at = text.indexOf(mention, at + 1)) {
    // A letter outside the basic plane has two code units.
    const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? ''
    const [after = ''] = text.slice(at + mention.length, at + mention.length + 2)
    if (!WORD_CHARACTER.test(before) && !WORD_CHARACTER.test(after)) return at
  }
  return -1
}
