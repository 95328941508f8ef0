import { FINDING_GROUPS, FINDING_TYPES, type Finding, type FindingGroup, type FindingType, groupOf } from '../domain/finding.ts'

/** Which type stays where two share a stretch of text: the more specific, and secrets before personal data. First wins. */
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

/** Groups that say what a stretch IS share a layer; what a stretch DOES (inject, hide) is said besides. */
const LAYER: Readonly<Record<FindingGroup, number>> = { pii: 0, secret: 0, injection: 1, hidden: 2 }

const rank = Object.fromEntries(FINDING_TYPES.map((type) => [type, PRECEDENCE.indexOf(type)])) as Record<FindingType, number>
const layer = Object.fromEntries(FINDING_TYPES.map((type) => [type, LAYER[groupOf(type)]])) as Record<FindingType, number>
const LAYERS = FINDING_GROUPS.length

const inOrder = (a: Finding, b: Finding): number => a.start - b.start || b.end - a.end || rank[a.type] - rank[b.type]

/** Sorted, and none begins before the last has ended: as most lists are, those of a text flooded with one thing above all. */
function isSettled(findings: readonly Finding[]): boolean {
  let end = 0
  for (const finding of findings) {
    if (finding.start < end) return false
    end = finding.end
  }
  return true
}

/**
 * Sorts findings by start and settles overlaps within a layer: the type of higher precedence stays and covers both stretches, so that
 * a redaction leaves nothing of either. An e-mail address in a connection string is the connection string; an instruction to send
 * data to an address is both, since those are in different layers.
 */
export function resolveOverlaps(findings: Finding[]): readonly Finding[] {
  if (isSettled(findings)) return findings
  findings.sort(inOrder)
  const kept: (Finding | undefined)[] = []
  const last = new Array<number>(LAYERS).fill(-1)
  for (const finding of findings) {
    const index = last[layer[finding.type]] ?? -1
    const previous = kept[index]
    if (previous && finding.start < previous.end) {
      const type = rank[finding.type] < rank[previous.type] ? finding.type : previous.type
      const end = Math.max(previous.end, finding.end)
      const continues = (previous.continues && previous.end === end) || (finding.continues && finding.end === end)
      kept[index] = { type, start: previous.start, end, ...(continues && { continues: true }) }
    } else {
      last[layer[finding.type]] = kept.push(finding) - 1
    }
  }
  return kept as Finding[]
}
