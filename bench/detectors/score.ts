/** Hits and misses of one type or group. */
export interface Score {
  /** True positives, false negatives and false positives. */
  found: number
  missed: number
  wrong: number
  /** Texts without an entity of this kind, and those of them with a finding. */
  clean: number
  alarmed: number
}

export const newScore = (): Score => ({ found: 0, missed: 0, wrong: 0, clean: 0, alarmed: 0 })

const percent = (part: number, whole: number): string => (whole === 0 ? '–' : `${((100 * part) / whole).toFixed(1)} %`)

const f1 = ({ found, missed, wrong }: Score): string =>
  found + missed + wrong === 0 ? '–' : ((2 * found) / (2 * found + missed + wrong)).toFixed(3)

/** Headings of `scoreRow`. */
export const SCORE_HEADINGS = ['', 'there', 'precision', 'recall', 'F1', 'over-defence']

/** The row above those of one kind of texts. */
export const kindRow = (kind: string): string[] => [`**${kind}**`, ...SCORE_HEADINGS.slice(1).map(() => '')]

/** One row: number of entities, precision, recall, F1, and the share of clean texts with a false alarm. */
export const scoreRow = (name: string, score: Score): string[] => {
  const expected = score.found + score.missed
  return [
    name,
    String(expected),
    percent(score.found, score.found + score.wrong),
    percent(score.found, expected),
    expected === 0 ? '–' : f1(score),
    score.clean === 0 ? '–' : `${percent(score.alarmed, score.clean)} of ${score.clean}`,
  ]
}

/** A Markdown table under its title. */
export function table(title: string, headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const rule = line(headings.map((_, i) => (i === 0 ? '---' : '--:')))
  return [`**${title}**`, '', line(headings), rule, ...rows.map(line)].join('\n')
}
