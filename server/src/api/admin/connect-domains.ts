import type { FastifyRequest } from 'fastify'
import { requireSecretKey } from '../../domains/audit/secret-key-check.ts'
import { usageOfApplications } from '../../domains/audit/statistics/read-usage.ts'
import { createWorkspaceKeys } from '../../domains/audit/workspace-keys.ts'
import { assess } from '../../domains/classification/risk.ts'
import { createTextScanner, scan } from '../../domains/classification/scan.ts'
import { findApplication, findWindowedApplications, resolveApplications } from '../../domains/identity/application-store.ts'
import { findWorkspace, listWorkspaces } from '../../domains/identity/workspace-store.ts'
import { governFields } from '../../domains/messaging/governance/governed-fields.ts'
import { findIssuersOfSender } from '../../domains/messaging/messages/message-store.ts'
import { type PreparedRelease, prepareRelease, settleHeldMessage } from '../../domains/messaging/messages/release-held.ts'
import { emitContact } from '../../domains/messaging/people/contact-store.ts'
import { findActorNames } from '../../domains/operators/actors.ts'
import { EvaluationLimiter } from '../../domains/policy/evaluation-limiter.ts'
import { eraseResponsesOfUser } from '../../domains/responses/stored-response-store.ts'
import { eraseViewsOfUser } from '../../domains/views/view-store.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { Classification } from '../../shared/classification.ts'
import { DEFAULT_SETTINGS, type User } from '../../shared/principal.ts'
import { accepted } from '../../shared/request-errors.ts'
import { viewerOf } from '../../shared/viewer.ts'
import { VERSION } from '../../version.ts'
import type { AdminContext } from './admin-context.ts'
import { operatorAuthor } from './messaging/operator-author.ts'

/** Dependencies of all admin routes. Each route declares the part that it uses. */
export type AdminDeps = ReturnType<typeof connectDomains>

/** The context, and the functions that one domain's admin routes need from another domain: domains do not import each other. */
export const connectDomains = (context: AdminContext) => ({
  ...context,
  ...detection(context),
  ...identities(context),
  ...messages(context),
  evaluationLimiter: new EvaluationLimiter(),
  version: VERSION,
})

function detection({ detectors, detectorBudgetMs: budgetMs }: AdminContext) {
  const options = { detectors, budgetMs }
  const initial = { classification: DEFAULT_SETTINGS.default_classification, risk: 'low' } as const
  return {
    scanText: createTextScanner(options),
    findInTexts: (texts: readonly string[]) => scan(texts, options).findings,
    inspectTexts: (texts: readonly string[]) => {
      const { findings, counts, failures } = scan(texts, options)
      const raise = (classification: Classification) => assess(counts, { classification, risk: 'low' }).classification
      return { findings, counts, failures, raise }
    },
    testTools: {
      detect: (text: string) => scan([text], options).counts,
      assess: (findings: Parameters<typeof assess>[0]) => assess(findings, initial),
    },
  }
}

const identities = ({ db, clock, policies, workspaceBox, workspaceKeys }: AdminContext) => ({
  usageOfApplications: (workspaceId: string) => usageOfApplications(db, workspaceId, clock.now()),
  findWindowedApplications,
  findActorNames,
  findReleaseObstacle: async (workspaceId: string) => (await policies.current(workspaceId))?.growingOutput.needsWhole,
  resolveApplications,
  eraseResponsesOfUser,
  eraseViewsOfUser,
  workspaceKeyring: {
    create: (workspaceId: string) => createWorkspaceKeys(workspaceBox, workspaceId),
    requireSecretKey: (tx: Tx) => requireSecretKey(tx, workspaceBox),
  },
  hasherOf: async (workspaceId: string) => (await workspaceKeys.get(workspaceId)).hasher,
  hasWorkspace: async (workspaceId: string) => (await findWorkspace(db, workspaceId)) !== undefined,
  requiresFourEyes: async (tx: Tx, workspaceId: string) =>
    (await findWorkspace(tx, workspaceId))?.settings.review.four_eyes ?? false,
  findWorkspaceIds: async (tx: Tx, ids: readonly string[]) =>
    ids.length === 0 ? [] : ((await listWorkspaces(tx, { limit: ids.length }, ids))?.data ?? []).map(({ id }) => id),
  workspaceNames: async (limit: number, ids: readonly string[] | undefined) =>
    ((await listWorkspaces(db, { limit }, ids))?.data ?? []).map(({ id, name }) => ({ id, name })),
  reviewTarget: async (workspaceId: string) => (await findWorkspace(db, workspaceId))?.settings.review.target_minutes ?? null,
  viewAs: async (workspaceId: string, applicationId: string, user: User) => {
    const application = await findApplication(db, workspaceId, applicationId)
    if (!application) return undefined
    const viewer = viewerOf({ application }, { user, sessionId: '' })
    return { viewer, knowledge: application.settings.knowledge }
  },
})

const messages = (context: AdminContext) => ({
  findTokenIssuers: findIssuersOfSender,
  announceUser: emitContact,
  governName: async <U extends string | undefined>(
    author: Pick<FastifyRequest, 'operator' | 'workspaceId'>,
    { username, id }: { readonly username: U; readonly id?: string | undefined },
  ) => {
    // Other users read the id as well; transforms never change it.
    const { fields, settle } = accepted(await governFields(context, operatorAuthor(author, context), { username, id }))
    return { username: fields.username, settle }
  },
  heldMessages: {
    prepare: (workspaceId: string, itemId: string, now: Date) => prepareRelease(context, workspaceId, itemId, now),
    preview: async (workspaceId: string, itemId: string, now: Date) => {
      const release = await prepareRelease(context, workspaceId, itemId, now)
      if (!release) return { refused: 'message_gone' as const }
      return release.text ? { texts: release.text.texts } : { refused: 'policy_denies_now' as const }
    },
    settle: async (tx: Tx, item: Parameters<typeof settleHeldMessage>[1], release: PreparedRelease | undefined, now: Date) =>
      accepted(await settleHeldMessage(tx, item, release, now)),
  },
})
