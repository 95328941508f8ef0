/** Maximum length of a word ending that is ignored. */
const MAX_ENDING = 4

/**
 * The number of typing errors (wrong, additional or missing letter; two letters swapped) between a word and a term; any number above
 * `allowed` if there are more. An ending of the word that the term lacks counts half, because terms are stems and a misspelt ending
 * is not removed by the stemmer.
 */
export function distanceBetween(word: string, term: string, allowed: number): number {
  if (term.length - word.length > allowed || word.length - term.length > allowed + MAX_ENDING) return Number.POSITIVE_INFINITY
  let before: number[] = []
  let last = Array.from({ length: term.length + 1 }, (_, at) => at)
  let cut = Number.POSITIVE_INFINITY
  for (let at = 1; at <= word.length; at++) {
    const row = [at]
    for (let to = 1; to <= term.length; to++) {
      const same = word[at - 1] === term[to - 1]
      let least = Math.min((last[to] ?? 0) + 1, (row[to - 1] ?? 0) + 1, (last[to - 1] ?? 0) + (same ? 0 : 1))
      if (at > 1 && to > 1 && word[at - 1] === term[to - 2] && word[at - 2] === term[to - 1]) {
        least = Math.min(least, (before[to - 2] ?? 0) + 1)
      }
      row.push(least)
    }
    before = last
    last = row
    const ending = word.length - at
    if (ending > 0 && ending <= MAX_ENDING && term.length > MAX_ENDING) cut = Math.min(cut, (row[term.length] ?? 0) + 0.5)
  }
  return Math.min(last[term.length] ?? 0, cut)
}
