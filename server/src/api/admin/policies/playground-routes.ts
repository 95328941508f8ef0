import { Type } from 'typebox'
import { openaiChat } from '../../../dialects/openai-chat/openai-chat.ts'
import { findApplication } from '../../../domains/identity/application-store.ts'
import { findUser } from '../../../domains/identity/user-store.ts'
import { PlaygroundCaller } from '../../../pipeline/callers.ts'
import type { User } from '../../../shared/principal.ts'
import { invalid, requireFound } from '../../../shared/request-errors.ts'
import { Anything } from '../../../shared/schemas.ts'
import { type ChatDeps, chat } from '../../gateway/chat.ts'
import { ChatBody } from '../../gateway/chat-request.ts'
import { abortOnClose } from '../../gateway/send-response.ts'
import { readRawJsonBodies } from '../../kit/bodies.ts'
import { LARGE_BODY } from '../../kit/large-bodies.ts'
import { auditIdOf } from '../../kit/request-id.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import { checkAllButBody } from '../../kit/validation.ts'
import { inWorkspace, withContentTypes } from '../kit/operation.ts'

const docs = withContentTypes(
  inWorkspace('POST /applications/:id/chat', 'chatAsApplication', 'Try an Application: run a chat with its configuration', {
    scope: 'playground:use',
    description:
      'Reads and answers as `POST /v1/chat/completions` does, streams included, with `X-Audit-Id`. Policies, limits, knowledge, memory and providers are those of the Application; the record names the operator under `playground`. Without `memory:write` memories are decided on and not stored.',
    query: {
      as: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 256,
          description:
            'Id of a user of the Workspace, treated as verified by a user token. Default: the user that `governance.user` asserts.',
        }),
      ),
    },
    body: ChatBody,
    answers: { 200: Anything },
    errors: {
      403: 'POLICY_DENIED. FORBIDDEN: the operator does not have the scope in `x-gatehouse-scope`',
      404: 'NOT_FOUND: the Application, or the Workspace',
      409: 'POLICY_REVIEW_PENDING, or a conflict with a review',
      410: 'REVIEW_HOLD_EXPIRED',
      422: 'NO_ELIGIBLE_PROVIDER',
      429: 'RATE_LIMITED',
      502: 'PROVIDER_ERROR',
      504: 'PROVIDER_TIMEOUT',
    },
  }),
  { 'application/json': { schema: ChatBody } },
)

export function playgroundRoutes(app: TypedApp, deps: ChatDeps): void {
  const { db, chatLimits } = deps
  // The pipeline reads the body's bytes itself, as it does for the gateway.
  readRawJsonBodies(app)

  const limits = { config: LARGE_BODY, bodyLimit: chatLimits.bodyBytes }
  handle(app, { ...docs, ...limits, validatorCompiler: checkAllButBody }, async (request, reply) => {
    const { workspaceId, operator, params, query } = request
    const internalCaller = new PlaygroundCaller({
      application: requireFound(await findApplication(db, workspaceId, params.id), 'Application'),
      operatorId: operator.id,
      user: await userOf(query.as, workspaceId),
      mayStoreMemories: operator.scopes.includes('memory:write'),
    })
    const incoming = {
      requestId: request.id,
      auditId: auditIdOf(request),
      authorization: undefined,
      userToken: undefined,
      internalCaller,
      body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
      clientSignal: () => abortOnClose(reply),
    }
    return chat(reply, incoming, openaiChat, deps)
  })

  async function userOf(id: string | undefined, workspaceId: string): Promise<User | undefined> {
    if (id === undefined) return undefined
    const user = await findUser(db, workspaceId, id)
    if (!user) throw invalid({ param: 'as', message: 'must be the id of a user of the Workspace' })
    const { role, department, attributes } = user
    return { id, role, department, attributes, verified: true }
  }
}
