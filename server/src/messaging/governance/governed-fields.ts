import type { Tx } from '../../db/database.ts'
import type { GovernedString } from '../../domain/governed.ts'
import type { User } from '../../domain/principal.ts'
import { newId } from '../../lib/id.ts'
import { type GovernTextDeps, governWithoutHold } from './governed-text.ts'
import { decideOnText, type UnrecordedDecisionDeps } from './text-decision.ts'

/** The author of the texts, and the place that shows them. */
export interface FieldContext {
  readonly workspaceId: string
  readonly author: User
  /** `grp_…`, of an existing group. */
  readonly groupId?: string | null
  readonly now: Date
}

type Given = Readonly<Record<string, string | null | undefined>>

/** The same fields, each text governed. */
export type Governed<F extends Given> = { readonly [K in keyof F]: GovernedString | Exclude<F[K], string> | NullUrl<K> }
type NullUrl<K> = K extends 'avatarUrl' ? null : never

export interface GovernedFields<F extends Given> {
  readonly fields: Governed<F>
  /** Writes the decision's record, and its escalation. Last in the transaction that stores the fields. */
  readonly settle: (tx: Tx) => Promise<void>
}

/**
 * Governs the fields of a user or group that other users read: names, descriptions, numbers, addresses. Throws POLICY_DENIED, recorded;
 * a field cannot be held, so one that requires approval is denied.
 */
export async function governFields<const F extends Given>(
  deps: GovernTextDeps,
  about: FieldContext,
  fields: F,
): Promise<GovernedFields<F>> {
  const named = textsIn(fields)
  if (named.length === 0) return { fields: merged(fields, []), settle: () => Promise.resolve() }
  const governed = await governWithoutHold(toSubmission(about, named), deps)
  return { fields: merged(fields, governed.texts), settle: (tx) => governed.settle(tx) }
}

/**
 * The same for fields of a configuration file, whose change has a record of its own. Returns the governed fields, or the rules that
 * refuse them.
 */
export async function governDeclared<const F extends Given>(
  deps: UnrecordedDecisionDeps,
  about: FieldContext,
  fields: F,
): Promise<{ readonly ok: true; readonly fields: Governed<F> } | { readonly ok: false; readonly rules: readonly string[] }> {
  const named = textsIn(fields)
  const decided = named.length === 0 ? undefined : await decideOnText(toSubmission(about, named), deps)
  const { verdict, rules = [] } = decided?.decision ?? {}
  if (verdict === 'deny' || verdict === 'require_approval')
    return { ok: false, rules: rules.filter((rule) => rule.verdict === verdict).map(({ id }) => id) }
  return { ok: true, fields: merged(fields, decided?.texts ?? named.map(([, text]) => text)) }
}

/** A name that the server generates for a user; it contains no user's text. */
export const generatedUsername = (): GovernedString => newId('usr') as GovernedString

const textsIn = (fields: Given): [name: string, text: string][] =>
  Object.entries(fields).flatMap(([name, text]) => (text ? [[name, text] as [string, string]] : []))

const toSubmission = ({ workspaceId, author, groupId = null, now }: FieldContext, named: readonly [string, string][]) => ({
  workspaceId,
  sender: author,
  place: { id: '', groupId },
  messageId: '',
  change: 'profile' as const,
  texts: named.map(([, text]) => text),
  now,
})

/** The address of a picture is removed if a transform changed it, because it no longer leads to the picture. */
function merged<F extends Given>(fields: F, texts: readonly string[]): Governed<F> {
  const passed = new Map(textsIn(fields).map(([name], index) => [name, texts[index] ?? '']))
  const entries = Object.entries(fields).map(([name, text]) => {
    const now = passed.get(name)
    return [name, now === undefined ? text : name === 'avatarUrl' && now !== text ? null : now]
  })
  return Object.fromEntries(entries) as Governed<F>
}
