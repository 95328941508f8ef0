import type { Tx } from '../../../platform/db/database.ts'
import { newId } from '../../../platform/lib/id.ts'
import { decidingRules } from '../../../shared/decision.ts'
import type { GovernedString } from '../../../shared/governed.ts'
import type { User } from '../../../shared/principal.ts'
import { Refusal } from '../../../shared/refusal.ts'
import { type GovernTextDeps, governWithoutHold } from './governed-text.ts'
import { decideOnText, type UnrecordedDecisionDeps } from './text-decision.ts'

export interface FieldContext {
  readonly workspaceId: string
  readonly author: User
  /** `grp_…`; null or absent: the fields of a user, or of a group that does not exist yet. */
  readonly groupId?: string | null
  readonly now: Date
}

type Fields = Readonly<Record<string, string | null | undefined>>

/** The same fields with governed texts. `avatarUrl` may become null: see `mergeTexts`. */
export type Governed<F extends Fields> = { readonly [K in keyof F]: GovernedString | Exclude<F[K], string> | NullUrl<K> }
type NullUrl<K> = K extends 'avatarUrl' ? null : never

export interface GovernedFields<F extends Fields> {
  readonly fields: Governed<F>
  /** Writes the audit record of the decision, and its escalation. Last in the transaction that stores the fields. */
  readonly settle: (tx: Tx) => Promise<void>
}

/** A field that other users read cannot be held, so one that requires approval is denied. A denial has an audit record. */
export async function governFields<const F extends Fields>(
  deps: GovernTextDeps,
  context: FieldContext,
  fields: F,
): Promise<GovernedFields<F> | Refusal> {
  const texts = textsIn(fields)
  if (texts.length === 0) return { fields: mergeTexts(fields, []), settle: () => Promise.resolve() }
  const governed = await governWithoutHold(toSubmission(context, texts), deps)
  return governed instanceof Refusal ? governed : { fields: mergeTexts(fields, governed.texts), settle: governed.settle }
}

/** The same for a configuration file, whose change has its own audit record. `rules`: ids of those that refuse the fields. */
export async function governDeclared<const F extends Fields>(
  deps: UnrecordedDecisionDeps,
  context: FieldContext,
  fields: F,
): Promise<{ readonly ok: true; readonly fields: Governed<F> } | { readonly ok: false; readonly rules: readonly string[] }> {
  const texts = textsIn(fields)
  const decided = texts.length === 0 ? undefined : await decideOnText(toSubmission(context, texts), deps)
  const decision = decided?.decision
  if (decision?.verdict === 'deny' || decision?.verdict === 'require_approval')
    return { ok: false, rules: decidingRules(decision) }
  return { ok: true, fields: mergeTexts(fields, decided?.texts ?? texts.map(([, text]) => text)) }
}

/** A name that the server generates for a user; it contains no user's text. */
export const generatedUsername = (): GovernedString => newId('usr') as GovernedString

const textsIn = (fields: Fields): [name: string, text: string][] =>
  Object.entries(fields).flatMap(([name, text]) => (text ? [[name, text] as [string, string]] : []))

const toSubmission = ({ workspaceId, author, groupId = null, now }: FieldContext, texts: readonly [string, string][]) => ({
  workspaceId,
  sender: author,
  place: { id: '', groupId },
  messageId: '',
  change: 'profile' as const,
  texts: texts.map(([, text]) => text),
  now,
})

/** An avatar URL that a transform has changed becomes null, because it no longer leads to the picture. */
function mergeTexts<F extends Fields>(fields: F, texts: readonly string[]): Governed<F> {
  const governed = new Map(textsIn(fields).map(([name], index) => [name, texts[index] ?? '']))
  const entries = Object.entries(fields).map(([name, text]) => {
    const governedText = governed.get(name)
    if (governedText === undefined) return [name, text]
    return [name, name === 'avatarUrl' && governedText !== text ? null : governedText]
  })
  return Object.fromEntries(entries) as Governed<F>
}
