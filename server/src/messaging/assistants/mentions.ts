/** What may stand before the `@` of a mention, or after its name: an address like `ann@example.com` mentions nobody. */
const WITHIN_A_WORD = /[\p{L}\p{N}_@-]/u

interface Mentionable {
  readonly username: string
}

/** Of those who are mentioned as `@username`, whatever the case, the first; of two names at one place the longer. */
export function findFirstMentioned<T extends Mentionable>(text: string, candidates: readonly T[]): T | undefined {
  const lower = text.toLowerCase()
  const found = candidates.flatMap((candidate) => {
    const name = candidate.username.toLowerCase()
    const at = mentionOf(lower, `@${name}`)
    return at < 0 ? [] : [{ at, length: name.length, candidate }]
  })
  found.sort((a, b) => a.at - b.at || b.length - a.length)
  return found[0]?.candidate
}

function mentionOf(text: string, mention: string): number {
  for (let at = text.indexOf(mention); at >= 0; at = text.indexOf(mention, at + 1)) {
    // By code points: a letter beyond the basic plane is two units long.
    const before = [...text.slice(Math.max(0, at - 2), at)].at(-1) ?? ''
    const [after = ''] = text.slice(at + mention.length, at + mention.length + 2)
    if (!WITHIN_A_WORD.test(before) && !WITHIN_A_WORD.test(after)) return at
  }
  return -1
}
