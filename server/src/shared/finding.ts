/** Every kind of thing the detectors know, in the order of GW-POL-9. New types may be added at the end of a group. */
export const FINDING_TYPES = [
  'pii.email',
  'pii.phone',
  'pii.card',
  'pii.iban',
  'pii.national_id',
  'pii.ip',
  'pii.person',
  'secret.api_key',
  'secret.token',
  'secret.private_key',
  'secret.connection_string',
  'injection.override',
  'injection.exfiltration',
  'injection.role_play',
  'hidden.text',
] as const
export type FindingType = (typeof FINDING_TYPES)[number]

export const FINDING_GROUPS = ['pii', 'secret', 'injection', 'hidden'] as const
export type FindingGroup = (typeof FINDING_GROUPS)[number]
export type FindingName = FindingType | FindingGroup

/** A span of one text: `start` inclusive, `end` exclusive, in UTF-16 units. Never holds the matched text itself. */
export interface Finding {
  readonly type: FindingType
  readonly start: number
  readonly end: number
  /** The finding continues in the next text and is counted there. */
  readonly continues?: true
}

/** EVERY type and group with its count, 0 when absent, so that a missing key in a policy is an authoring error. */
export type FindingCounts = Readonly<Record<FindingType | FindingGroup, number>>

export const groupOf = (type: FindingType): FindingGroup => type.slice(0, type.indexOf('.')) as FindingGroup

export const covers = (name: FindingName, type: FindingType): boolean => name === type || name === groupOf(type)

export const NOTHING_FOUND = Object.fromEntries([...FINDING_TYPES, ...FINDING_GROUPS].map((name) => [name, 0])) as FindingCounts

export function countFindings(lists: readonly (readonly Finding[])[]): FindingCounts {
  if (lists.every((list) => list.length === 0)) return NOTHING_FOUND
  const counts: Record<FindingType | FindingGroup, number> = { ...NOTHING_FOUND }
  for (const list of lists) for (const { type, continues } of list) if (!continues) counts[type] += 1
  for (const type of FINDING_TYPES) counts[groupOf(type)] += counts[type]
  return counts
}

export function addCounts(a: FindingCounts, b: FindingCounts): FindingCounts {
  const sum: Record<FindingType | FindingGroup, number> = { ...a }
  for (const name of [...FINDING_TYPES, ...FINDING_GROUPS]) sum[name] += b[name]
  return sum
}
