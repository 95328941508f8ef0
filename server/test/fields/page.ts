import { LEFT_OUT, leftOutRow } from './left-out.ts'
import type { Outcome } from './outcome.ts'
import { APIS, type FieldRow, fieldRows } from './table.ts'

const NAMES = { 'openai-chat': 'Chat completions', 'anthropic-messages': 'Messages', 'openai-responses': 'Responses' } as const
const REASONS = [...new Set(LEFT_OUT.map(({ reason }) => reason))]
/** Longer values say no more in a table. */
const MAX_VALUE = 60

/** The page `docs/fields.md`: the rows of the table, measured with the codecs. */
export function fieldsPage(): string {
  const rows = fieldRows()
  const sections = APIS.map((api) =>
    section(
      api,
      rows.filter(({ group }) => group.api === api),
    ),
  )
  const reasons = REASONS.map((reason, index) => `${index + 1}. ${reason}`)
  return `# Fields of requests

Generated from \`server/test/fields/\`: each value below is sent by a client of one API to a provider of each API, through the codecs of the
gateway. The tests check that every field of the official clients has a row and that nothing is left out without a reason below.

| cell | meaning |
|---|---|
| = | The provider gets the same value at the same place. |
| \`field\` | The value is translated; it stands in this field. |
| 400 | The request is refused, and the error names the field. Another provider of the model may get it (GW-PROV-8). |
| – | The provider does not get the value; the number is the reason below. |

${sections.join('\n')}
## Reasons

${reasons.join('\n')}
`
}

function section(api: (typeof APIS)[number], rows: readonly FieldRow[]): string {
  const lines = rows.map((row) => {
    const cells = row.outcomes.map((outcome, index) => cellOf(row, outcome, APIS[index] ?? api))
    return `| ${fieldCell(row)} | ${valueCell(row.value)} | ${cells.join(' | ')} |`
  })
  return `## ${NAMES[api]}

| field | value | ${APIS.map((to) => NAMES[to]).join(' | ')} |
|---|---|---|---|---|
${lines.join('\n')}
`
}

const fieldCell = ({ path, group: { kind } }: FieldRow): string => `\`${path}\`${kind === undefined ? '' : ` (${kind})`}`

function valueCell(value: unknown): string {
  const json = JSON.stringify(value).replaceAll('|', '\\|')
  return `\`${json.length > MAX_VALUE ? `${json.slice(0, MAX_VALUE)}…` : json}\``
}

function cellOf({ group, path, value }: FieldRow, outcome: Outcome, to: (typeof APIS)[number]): string {
  if (outcome.kind === 'same') return '='
  if (outcome.kind === 'refused') return '400'
  if (outcome.kind === 'translated') return `\`${commonPath(outcome.to)}\``
  return `– ${REASONS.indexOf(leftOutRow(group.api, to, path, value)?.reason ?? '') + 1}`
}

/** The only place, or the object around several ones. */
function commonPath([first = '', ...others]: readonly string[]): string {
  const names = first.split('.')
  const count = names.findIndex((_, index) => others.some((other) => other.split('.')[index] !== names[index]))
  if (count < 0) return first
  return count === 0 ? [first, ...others].join('`, `') : names.slice(0, count).join('.')
}
