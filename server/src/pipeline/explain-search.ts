import { termsOfDocument } from '../domains/knowledge/chunk-store.ts'
import type { Collection } from '../domains/knowledge/collection.ts'
import { findCollection } from '../domains/knowledge/collection-store.ts'
import { findDocument, type StoredDocument } from '../domains/knowledge/document-store.ts'
import {
  type Check,
  changedListCheck,
  choiceCheck,
  explainVisibility,
  policyCheck,
} from '../domains/knowledge/explain-visibility.ts'
import { effectiveClassification, effectiveRegulations } from '../domains/knowledge/labels.ts'
import { hasFormerList } from '../domains/knowledge/relabel-sources.ts'
import { type ExplainedPassage, explainedSearch, type Passage } from '../domains/knowledge/search.ts'
import { parseQuery } from '../domains/retrieval/query.ts'
import type { Decision } from '../shared/decision.ts'
import type { Application, User } from '../shared/principal.ts'
import type { ServiceCall } from '../shared/service-call.ts'
import { type Viewer, viewerOf } from '../shared/viewer.ts'
import type { Governed } from './govern.ts'
import { governHit, type HitSearch, type SearchDeps } from './govern-hits.ts'
import { PASSAGES } from './hit-kinds.ts'
import { EMPTY_REQUEST } from './request.ts'
import { admittedOf, settle } from './simulate.ts'
import { type Authorized, NOT_INVOKED, noHits, type SearchContext } from './stage-results.ts'
import { classify } from './stages/04-classify.ts'
import { type AuthorizeDeps, authorize } from './stages/05-authorize.ts'
import { planRetrieval, retrieve } from './stages/06-retrieve.ts'
import { inspect } from './stages/10-inspect.ts'

interface AskedSearch {
  readonly application: Application
  readonly user: User
  readonly query: string
  readonly limit: number
}

interface SearchExplanation {
  readonly viewer: Viewer
  /** Rules of the policies that withhold every hit of this query. */
  readonly withheldBy: readonly string[]
  /** The passages that the search returns, best first. */
  readonly visible: readonly ExplainedPassage[]
  /** Matching passages that it does not return, with the check that fails. */
  readonly hidden: readonly ExplainedPassage[]
  readonly serviceCalls: readonly ServiceCall[]
}

/** Runs the stages of a knowledge search as a request of the user does, and explains what it leaves out. Nothing is charged; the caller records it. */
export async function explainSearch(asked: AskedSearch, deps: AuthorizeDeps & SearchDeps): Promise<SearchExplanation> {
  const { application, query, limit } = asked
  const { viewer, allowed, search, visible, serviceCalls } = await runSearch(asked, deps)
  const matches = await explainedSearch(deps, viewer, {
    text: query,
    classification: search?.classification,
    region: search?.region,
    collections: application.settings.knowledge.collections,
    limit,
    reportCall: (call) => void serviceCalls.push(call),
  })
  const left = matches.visible.filter(({ id }) => !visible.some((passage) => passage.id === id))
  const withheldBy = allowed?.withheld ? restricting(allowed.decision) : []
  const denied = search ? await explainDenied(left, search, deps) : left.map((passage) => withPolicies(passage, withheldBy))
  const checksOf = ({ id }: Passage) => matches.visible.find((match) => match.id === id)?.checks ?? []
  return {
    viewer,
    withheldBy,
    visible: visible.map((passage) => withPolicies({ ...passage, checks: checksOf(passage) }, [])),
    hidden: [...denied, ...matches.hidden],
    serviceCalls,
  }
}

/** The result of the stages. `search`: undefined if knowledge is off or the query is withheld. */
async function runSearch({ application, user, query, limit }: AskedSearch, deps: AuthorizeDeps & SearchDeps) {
  const request = { ...EMPTY_REQUEST, messages: [{ role: 'user', content: query }], limit }
  const context: SearchContext = {
    incoming: { endpoint: 'knowledge_search', clientSignal: () => new AbortController().signal },
    caller: { application, keyId: '' },
    admitted: admittedOf(request),
    identity: { user, sessionId: '' },
    serviceCalls: [],
  }
  const viewer = viewerOf({ application }, context.identity)
  const classified = settle(await classify(context.caller, context.admitted, deps))
  const authorized = classified.value && settle(await authorize(context, classified.value, deps))
  const allowed = authorized?.value
  const search = allowed && planRetrieval(context, allowed, deps)
  const visible = search ? await passagesOf(context, allowed, deps) : []
  return { viewer, allowed, search, visible, serviceCalls: context.serviceCalls }
}

export interface DocumentExplanation {
  readonly document: StoredDocument
  readonly checks: readonly Check[]
  /** The place of its first passage among the first RANKS hits of the search; null: it is not among them. */
  readonly rank: number | null
  /** Words of the query that the document does not contain in any form. */
  readonly missingWords: readonly string[]
  readonly serviceCalls: readonly ServiceCall[]
}

/** The most hits that a search returns. */
const RANKS = 50

/** Explains why the search finds the document, or not. Undefined: there is no such document. */
export async function explainDocument(
  id: string,
  asked: Omit<AskedSearch, 'limit'>,
  deps: AuthorizeDeps & SearchDeps,
): Promise<DocumentExplanation | undefined> {
  const { workspaceId, settings } = asked.application
  const document = await findDocument(deps.db, workspaceId, id)
  const collection = document && (await findCollection(deps.db, workspaceId, document.collectionId))
  if (!document || !collection) return undefined
  const { viewer, allowed, search, visible, serviceCalls } = await runSearch({ ...asked, limit: RANKS }, deps)
  const { collections } = settings.knowledge
  const isChosen = collections === undefined || collections.some((one) => one === collection.name || one === collection.id)
  const labels = { ...emptyPassage(document, collection), checks: [] }
  const rules = search ? leftOutBy(await governHit(labels, search, PASSAGES, deps)) : restricting(allowed?.decision)
  const place = visible.findIndex(({ documentId }) => documentId === id)
  const terms = await termsOfDocument(deps.db, workspaceId, id)
  const words = parseQuery({ text: asked.query }, [document.language])
  return {
    document,
    checks: [
      ...explainVisibility(viewer, collection, document),
      ...((await hasFormerList(deps.db, viewer, id)) ? [changedListCheck()] : []),
      choiceCheck(isChosen),
      policyCheck(rules),
    ],
    rank: place < 0 ? null : place + 1,
    missingWords: words.filter((word) => ![...word.terms.values()].some((term) => terms.has(term))).map(({ written }) => written),
    serviceCalls,
  }
}

/** A passage with the labels of the document and no text, for rules that read labels. */
const emptyPassage = (document: StoredDocument, collection: Collection): Passage => ({
  ...{ id: '', documentId: document.id, position: 0, headings: [], content: '', flagged: false, similarity: 0 },
  ...{ title: document.title, source: document.source, updatedAt: document.updatedAt },
  ...{ collection: collection.name, collectionId: collection.id },
  classification: effectiveClassification(collection, document),
  regulations: effectiveRegulations(collection, document, document.limits),
})

/** The passages of the response. */
async function passagesOf(context: SearchContext, authorized: Authorized, deps: SearchDeps): Promise<readonly Passage[]> {
  const retrieved = settle(await retrieve(context, authorized, deps)).value ?? noHits(authorized.decision)
  const outputs = { retrieved, recalled: noHits(retrieved.decision), invoked: NOT_INVOKED }
  return settle(await inspect(context, authorized, outputs, deps)).value?.passages ?? []
}

/** Of passages that labels permit those that the policies leave out. */
async function explainDenied(
  passages: readonly ExplainedPassage[],
  search: HitSearch,
  deps: SearchDeps,
): Promise<readonly ExplainedPassage[]> {
  const explained: ExplainedPassage[] = []
  for (const passage of passages) {
    await search.pause()
    const atRetrieve = await governHit(passage, search, PASSAGES, deps)
    const atOutput = atRetrieve.value && (await governHit(atRetrieve.value, search, OUTPUT, deps))
    const rules = [...leftOutBy(atRetrieve), ...(atOutput ? leftOutBy(atOutput) : [])]
    if (rules.length > 0) explained.push(withPolicies(passage, rules))
  }
  return explained
}

const withPolicies = (passage: ExplainedPassage, rules: readonly string[]): ExplainedPassage => ({
  ...passage,
  checks: [...passage.checks, policyCheck(rules)],
})

const OUTPUT = { ...PASSAGES, point: 'output', subject: () => ({}) } as const

const leftOutBy = ({ decision, value, failed }: Governed<Passage>): readonly string[] =>
  value === undefined ? [...new Set([...failed, ...restricting(decision)])] : []

const restricting = ({ rules }: Pick<Decision, 'rules'> = { rules: [] }): readonly string[] =>
  rules.flatMap(({ id, verdict }) => (verdict === 'deny' || verdict === 'require_approval' ? [id] : []))
