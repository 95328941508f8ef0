import {
  FINDING_GROUPS,
  FINDING_TYPES,
  type Finding,
  type FindingGroup,
  type FindingType,
  groupOf,
} from '../../shared/finding.ts'

/** Of two overlapping findings, the type that is first in this list stays: secrets before personal data, specific types first. */
const PRECEDENCE: readonly FindingType[] = [
  'secret.private_key',
  'secret.connection_string',
  'secret.api_key',
  'secret.token',
  'pii.iban',
  'pii.card',
  'pii.email',
  'pii.national_id',
  'pii.ip',
  'pii.phone',
  'pii.person',
  'injection.exfiltration',
  'injection.override',
  'injection.role_play',
  'hidden.text',
]

/** Only findings of the same layer exclude each other: an injection or hidden text is reported in addition to its content. */
const LAYER: Readonly<Record<FindingGroup, number>> = { pii: 0, secret: 0, injection: 1, hidden: 2 }

const rank = Object.fromEntries(FINDING_TYPES.map((type) => [type, PRECEDENCE.indexOf(type)])) as Record<FindingType, number>
const layer = Object.fromEntries(FINDING_TYPES.map((type) => [type, LAYER[groupOf(type)]])) as Record<FindingType, number>
const LAYERS = FINDING_GROUPS.length

const inOrder = (a: Finding, b: Finding): number => a.start - b.start || b.end - a.end || rank[a.type] - rank[b.type]

/** Whether findings are sorted and do not overlap, which is true for most lists. */
function isResolved(findings: readonly Finding[]): boolean {
  let end = 0
  for (const finding of findings) {
    if (finding.start < end) return false
    end = finding.end
  }
  return true
}

/**
 * Sorts findings by start and merges overlapping findings of a layer: the type of higher precedence covers both spans, so that a
 * transform removes both. An e-mail address in a connection string becomes part of the connection string.
 */
export function resolveOverlaps(findings: Finding[]): readonly Finding[] {
  if (isResolved(findings)) return findings
  findings.sort(inOrder)
  const kept: (Finding | undefined)[] = []
  const lastOfLayer = new Array<number>(LAYERS).fill(-1)
  for (const finding of findings) {
    const index = lastOfLayer[layer[finding.type]] ?? -1
    const previous = kept[index]
    if (previous && finding.start < previous.end) {
      const type = rank[finding.type] < rank[previous.type] ? finding.type : previous.type
      const end = Math.max(previous.end, finding.end)
      const continues = (previous.continues && previous.end === end) || (finding.continues && finding.end === end)
      kept[index] = { type, start: previous.start, end, ...(continues && { continues: true }) }
    } else {
      lastOfLayer[layer[finding.type]] = kept.push(finding) - 1
    }
  }
  return kept as Finding[]
}
