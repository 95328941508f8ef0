import { mergeDecisions } from '../../domains/policy/evaluate.ts'
import { Vault } from '../../domains/policy/vault.ts'
import { REASONING_FIELDS } from '../../domains/providers/read-completion.ts'
import { andThen, type MaybePromise } from '../../platform/lib/maybe-promise.ts'
import type { Classification } from '../../shared/classification.ts'
import { type Completion, partsOf, withParts } from '../../shared/completion.ts'
import type { Decision } from '../../shared/decision.ts'
import { addCounts } from '../../shared/finding.ts'
import { withInspectedLogprobs } from '../../shared/logprobs.ts'
import { type ChatMessage, collect, joinsAcross, replaceTexts } from '../../shared/message.ts'
import { denyByFault, denyByPolicy, type Outcome, Skipped, type StageReturn, Stop } from '../../shared/outcome.ts'
import { type ToolCall, toolCallsOf } from '../../shared/tool-call.ts'
import { govern } from '../govern.ts'
import { governHits, type HitDeps, type HitKind } from '../govern-hits.ts'
import { MEMORIES, PASSAGES } from '../hit-kinds.ts'
import type { Authorized, EarlyDenial, Inspected, Invoked, Recalled, RequestContext, Retrieved } from '../stage-results.ts'
import { policyInputOf, responseInputOf, uninspected } from '../stage-results.ts'

export type InspectDeps = HitDeps

interface Outputs {
  readonly retrieved: Retrieved
  readonly recalled: Recalled
  readonly invoked: Invoked
}

/** Stage 10 of 12, before any byte is sent. Placeholders become originals first: rules read what the client would receive. */
export function inspect(
  context: RequestContext,
  authorized: Authorized,
  outputs: Outputs,
  deps: InspectDeps,
): MaybePromise<StageReturn<Inspected>> {
  if (context.incoming.endpoint !== 'chat') return inspectHits(context, authorized, outputs, deps)
  const { completion, provider, denial } = outputs.invoked
  if (denial) return denyEarly(authorized, denial)
  if (!completion) return new Skipped()
  const { release } = authorized
  if (release?.kind === 'again') {
    // It was sent before and is sent again with the decision of that time.
    const { decision = authorized.decision, transforms = [] } = release.result
    return new Skipped({ ...uninspected(authorized), decision, transforms, completion })
  }
  return inspectCompletion(context, authorized, completion, provider, deps)
}

function inspectCompletion(
  context: RequestContext,
  authorized: Authorized,
  completion: Completion,
  provider: string,
  deps: InspectDeps,
): MaybePromise<StageReturn<Inspected>> {
  const { policy, vault } = authorized
  const { texts: originals, spoken, unread } = collect(partsOf(completion))
  const texts = originals.map((text) => vault.restore(text))
  const joins = joinsAcross(spoken.slice(0, completion.choices.length))
  const { default_classification: classification } = context.caller.application.settings
  const response = responseInputOf(completion, provider, texts)
  const hasRules = (policy?.rules.output.length ?? 0) > 0
  const governed = govern(
    { texts, joins, unread, toolCalls: callsOf(completion, originals, texts), start: { classification, risk: 'low' } },
    'output',
    {
      policy,
      input: { ...policyInputOf(context, deps.clock.now()), response },
      isAllowed: (decision) => !outcomeOf(context, authorized, decision),
      replace: (changed) => withTexts(completion, originals, changed, hasRules),
    },
    deps,
  )
  return andThen(governed, ({ scanned, decision, value, transforms, failed }): StageReturn<Inspected> => {
    const inspected = {
      ...uninspected(authorized),
      decision: mergeDecisions(authorized.decision, decision),
      counts: scanned.counts,
      outputContext: { classification: scanned.classification, riskLevel: scanned.risk, unread, response },
      completion: value ?? completion,
      transforms,
    }
    if (failed.length > 0) return denyByFault(failed, inspected)
    const end =
      outcomeOf(context, authorized, decision) ?? contradictionOf(context.incoming.early?.sent ?? '', inspected.completion)
    return end ? new Stop(end, inspected) : inspected
  })
}

function denyEarly(authorized: Authorized, { decision, counts, classification, risk }: EarlyDenial): Stop<Inspected> {
  return denyByPolicy(decision, 'output', {
    ...uninspected(authorized),
    decision: mergeDecisions(authorized.decision, decision),
    counts,
    outputContext: { classification, riskLevel: risk },
  })
}

/** The failure of a completion that does not continue the text which was sent before it was complete (GW-WIN-5). */
function contradictionOf(sent: string, { choices }: Completion): Outcome | undefined {
  if (sent === '') return undefined
  const [choice] = choices
  const { content, ...others }: Partial<ChatMessage> = choice?.message ?? {}
  // Clients get reasoning before the text.
  const hasReasoning = REASONING_FIELDS.some((name) => others[name] != null && others[name] !== '')
  if (choices.length === 1 && typeof content === 'string' && content.startsWith(sent) && !hasReasoning) return undefined
  return { kind: 'failed', cause: new Error('the complete response does not continue the text that was sent') }
}

/** The outcome of a decision that ends the run. A dry run always continues, and an approved completion is not held again. */
function outcomeOf({ admitted }: RequestContext, { release }: Authorized, decision: Decision): Outcome | undefined {
  if (admitted.request.dryRun) return undefined
  const { verdict } = decision
  if (verdict === 'deny') return denyByPolicy(decision, 'output').outcome
  if (verdict !== 'require_approval' || release?.item.point === 'output') return undefined
  return { kind: 'held', point: 'output' }
}

/** Searches declare no 403: a hit that a rule denies, that needs approval or that cannot be scanned is left out (GW-VERD-7). */
async function inspectHits(
  context: RequestContext,
  authorized: Authorized,
  { retrieved, recalled }: Outputs,
  deps: InspectDeps,
): Promise<StageReturn<Inspected>> {
  if (retrieved.hits.length + recalled.hits.length === 0) return new Skipped()
  const { user, readers = [user] } = context.identity
  const governing = {
    policy: authorized.policy,
    input: policyInputOf(context, deps.clock.now()),
    readers,
    vault: new Vault(),
    isAllowed: ({ verdict }: Decision) => verdict !== 'require_approval',
    pause: deps.timeSlices.pauses(),
  }
  const inspectAll = <Hit extends { readonly classification: Classification }>(
    { hits }: { readonly hits: readonly Hit[] },
    kind: HitKind<Hit>,
    before: Decision,
  ) =>
    governHits(
      batchOf(hits),
      { ...governing, limit: hits.length },
      { ...kind, point: 'output', subject: () => ({}) },
      before,
      deps,
    )
  const passages = await inspectAll(retrieved, PASSAGES, authorized.decision)
  const memories = await inspectAll(recalled, MEMORIES, passages.decision)
  const { decision } = memories
  return {
    ...uninspected(authorized),
    passages: passages.hits,
    memories: memories.hits,
    decision,
    counts: addCounts(passages.counts, memories.counts),
    outputContext: { classification: decision.classification, riskLevel: decision.risk },
    transforms: [...new Set([...passages.transforms, ...memories.transforms])],
  }
}

async function* batchOf<Hit>(hits: readonly Hit[]): AsyncGenerator<readonly Hit[]> {
  yield hits
}

function callsOf(completion: Completion, originals: readonly string[], texts: readonly string[]): readonly ToolCall[] {
  return toolCallsOf(restored(completion, originals, texts).choices.map(({ message }) => message))
}

function restored(completion: Completion, originals: readonly string[], texts: readonly string[]): Completion {
  if (originals.every((text, index) => text === texts[index])) return completion
  try {
    return withParts(completion, replaceTexts(partsOf(completion), texts))
  } catch {
    // The same replacement fails again after the decision, and then denies the completion.
    return completion
  }
}

function withTexts(completion: Completion, before: readonly string[], after: readonly string[], hasRules: boolean): Completion {
  const unchanged = before.every((text, index) => text === after[index])
  const inspected = withInspectedLogprobs(completion, unchanged, hasRules)
  return unchanged ? inspected : withParts(inspected, replaceTexts(partsOf(completion), after))
}
