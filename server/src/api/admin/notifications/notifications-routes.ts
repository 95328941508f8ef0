import { Type } from 'typebox'
import { readTopics, saveTopics } from '../../../domains/notifications/settings-store.ts'
import { NOTIFICATION_TOPICS, SCOPE_OF } from '../../../domains/notifications/topic.ts'
import { findPerson } from '../../../domains/operators/operator-store.ts'
import { oneOf } from '../../../platform/lib/fields.ts'
import { scopesAnywhere } from '../../../shared/access.ts'
import type { Operator } from '../../../shared/operator.ts'
import { conflict, forbidden, requireFound } from '../../../shared/request-errors.ts'
import { nullable } from '../../../shared/schemas.ts'
import { handle, type TypedApp } from '../../kit/route.ts'
import type { AdminDeps } from '../admin-deps.ts'
import { change } from '../kit/change.ts'
import { inWorkspace } from '../kit/operation.ts'

const Topic = oneOf(NOTIFICATION_TOPICS, 'NotificationTopic')
const Topics = Type.Array(Topic, {
  maxItems: NOTIFICATION_TOPICS.length,
  uniqueItems: true,
})

const NotificationsView = Type.Object({
  object: Type.Literal('notifications'),
  topics: Type.Array(Topic, { description: 'Your topics.' }),
  available: Type.Array(Topic, { description: 'The topics whose scope you have in a Workspace.' }),
  address: Type.String({ description: 'Your e-mail address.' }),
  sender: nullable(Type.String({ description: 'GATEHOUSE_MAIL_FROM. null: the server sends no e-mail.' })),
  has_links: Type.Boolean({ description: 'Whether messages have links: GATEHOUSE_PUBLIC_URL is set.' }),
})

const NOT_A_PERSON = { 403: 'FORBIDDEN: an admin token has no e-mail address' }

const docs = {
  get: inWorkspace('GET /notifications', 'getNotifications', 'Get your topics of e-mail', {
    scope: null,
    errors: NOT_A_PERSON,
    answers: { 200: NotificationsView },
  }),
  update: inWorkspace('PUT /notifications', 'updateNotifications', 'Choose your topics of e-mail', {
    scope: null,
    description:
      'In all Workspaces in which you have the scope of the topic when the e-mail is sent. Events within a minute share one e-mail. During an absence your delegate gets them.',
    errors: NOT_A_PERSON,
    body: Type.Object({ topics: Topics }),
    answers: { 200: NotificationsView },
  }),
  test: inWorkspace('POST /notifications/test', 'testNotifications', 'Send a test e-mail to yourself', {
    scope: null,
    errors: { ...NOT_A_PERSON, 409: 'CONFLICT: the server sends no e-mail' },
    answers: {
      200: Type.Object({
        delivered: Type.Boolean({ description: 'Whether the mail server accepted the e-mail.' }),
        failure: nullable(Type.String({ description: 'Why it did not.' })),
      }),
    },
  }),
}

export function notificationsRoutes(app: TypedApp, deps: AdminDeps): void {
  const { db, mailer } = deps
  const { publicUrl } = deps.config.signIn

  const view = async ({ id, access }: Operator) => ({
    object: 'notifications' as const,
    topics: [...(await readTopics(db, id))],
    available: NOTIFICATION_TOPICS.filter((topic) => scopesAnywhere(access).includes(SCOPE_OF[topic])),
    address: await addressOf(id),
    sender: mailer?.from ?? null,
    has_links: publicUrl !== undefined,
  })
  const addressOf = async (id: string): Promise<string> => requireFound(await findPerson(db, id), 'operator').email

  handle(app, docs.get, ({ operator }) => view(requirePerson(operator)))

  handle(app, docs.update, async (request) => {
    const { id } = requirePerson(request.operator)
    await change(deps, request, async (tx) => {
      await saveTopics(tx, id, request.body.topics)
      return { value: undefined, action: 'operator.set_notifications', id, fields: ['topics'] }
    })
    return view(request.operator)
  })

  handle(app, docs.test, async ({ operator }) => {
    const to = await addressOf(requirePerson(operator).id)
    if (!mailer) throw conflict('This server sends no e-mail. Set GATEHOUSE_SMTP_URL and GATEHOUSE_MAIL_FROM.')
    const failure = (await mailer.send({ ...TEST_MAIL, to })) ?? null
    return { delivered: failure === null, failure }
  })
}

const TEST_TEXT = 'Gatehouse can send you e-mail. You choose what you get in your account.'
const TEST_MAIL = { subject: 'Test e-mail from Gatehouse', text: TEST_TEXT, html: `<p>${TEST_TEXT}</p>` }

function requirePerson(operator: Operator): Operator {
  if (operator.kind !== 'person') throw forbidden('Only a signed-in operator gets e-mail, not an admin token.')
  return operator
}
