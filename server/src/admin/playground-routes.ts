import { Type } from 'typebox'
import { findApplication } from '../applications/application-store.ts'
import { findUser } from '../applications/user-store.ts'
import type { User } from '../domain/principal.ts'
import { answerChat, chatInTime, closed } from '../gateway/answers.ts'
import { ChatBody, parseChat } from '../gateway/chat-request.ts'
import { LARGE_BODY } from '../http/large-bodies.ts'
import { PlaygroundCaller } from '../pipeline/playground-caller.ts'
import type { AdminApp, AdminDeps } from './admin-deps.ts'
import { checkRequests } from './bodies.ts'
import { inWorkspace } from './operation.ts'
import { invalid, notFound } from './refusals.ts'
import { Anything, pathOf } from './shapes.ts'

const docs = {
  ...inWorkspace('chatAsApplication', 'Try an Application out: a chat as it would have it', {
    scope: 'playground:use',
    description:
      'Reads and answers as `POST /v1/chat/completions` does, streams included, with `X-Audit-Id`. Policies, limits, knowledge, memory and providers are those of the Application; the record names the operator under `playground`. Who lacks `memory:write` leaves no memories: what would be remembered is decided, and not stored.',
    query: {
      as: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 256,
          description:
            'Id of a user of the directory, as if a user token vouched for them. Default: whom `governance.user` asserts.',
        }),
      ),
    },
    params: pathOf('id'),
    body: ChatBody,
    answers: { 200: Anything },
    errors: {
      403: 'POLICY_DENIED; FORBIDDEN without the scope that `x-gatehouse-scope` names',
      404: 'NOT_FOUND: the Application, or the Workspace',
      409: 'POLICY_REVIEW_PENDING and others of reviews',
      410: 'REVIEW_EXPIRED and others of reviews',
      422: 'NO_ELIGIBLE_PROVIDER',
      429: 'RATE_LIMITED',
      502: 'PROVIDER_ERROR',
      504: 'PROVIDER_TIMEOUT',
    },
  }),
  body: { content: { 'application/json': { schema: ChatBody } } },
}

export function playgroundRoutes(app: AdminApp, deps: AdminDeps): void {
  const { db, chatLimits } = deps
  // The pipeline reads the body's bytes itself, as it does for the gateway.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(/^application\/(?:[\w.-]+\+)?json\b/i, { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  )
  app.setValidatorCompiler((part) => (part.httpPart === 'body' ? () => true : checkRequests(part as never)))

  app.post(
    '/applications/:id/chat',
    { schema: docs, config: LARGE_BODY, bodyLimit: chatLimits.bodyBytes },
    async (request, reply) => {
      const { workspaceId, operator, params, query } = request
      const application = await findApplication(db, workspaceId, params.id)
      if (!application) throw notFound('Application')
      const caller = new PlaygroundCaller({
        application,
        operatorId: operator.id,
        user: await userOf(query.as, workspaceId),
        remembers: operator.scopes.includes('memory:write'),
      })
      const exchange = {
        endpoint: 'chat' as const,
        requestId: request.id,
        authorization: undefined,
        userToken: undefined,
        caller,
        body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        callerGone: () => closed(reply),
        parse: (body: unknown) => parseChat(body, application, chatLimits),
      }
      return answerChat(reply, await chatInTime(exchange, deps))
    },
  )

  async function userOf(id: string | undefined, workspaceId: string): Promise<User | undefined> {
    if (id === undefined) return undefined
    const user = await findUser(db, workspaceId, id)
    if (!user) throw invalid({ param: 'as', message: 'must be the id of a user of the directory' })
    const { role, department, attributes } = user
    return { id, role, department, attributes, verified: true }
  }
}
