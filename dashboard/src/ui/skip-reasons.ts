export type SkipReason = 'policy' | 'noUser'

/** The parts of an audit record that say it. */
interface Recorded {
  readonly stages: readonly { readonly name: string; readonly outcome: string }[]
  readonly decision: { readonly directives: readonly string[] } | null
  readonly user: { readonly id: string | null }
  readonly features: Readonly<Record<string, unknown>>
}

const DIRECTIVES: Readonly<Record<string, string>> = { retrieve: 'knowledge:off', recall: 'memory:off', remember: 'memory:off' }

/** Why a stage was skipped, as far as its record says so. The record does not have the settings of the Application. */
export function skipReasonOf({ stages, decision, user, features }: Recorded, stage: string): SkipReason | undefined {
  const outcomeOf = (name: string) => stages.find((one) => one.name === name)?.outcome
  if (outcomeOf(stage) !== 'skipped') return undefined
  const directive = DIRECTIVES[stage]
  if (directive !== undefined && decision?.directives.includes(directive)) return 'policy'
  // Recall runs only for Applications with memory.
  const hasMemory = outcomeOf('recall') === 'ok'
  const lacksOwner = user.id === null && !features['request.session']
  return stage === 'remember' && hasMemory && lacksOwner ? 'noUser' : undefined
}
