import type { EventMessage } from '../event-message.ts'
import type { NotificationTopic } from '../topic.ts'
import type { Mail } from './mailer.ts'

export interface MailContent {
  readonly sections: readonly { readonly workspace: string; readonly messages: readonly EventMessage[] }[]
  readonly topics: readonly NotificationTopic[]
  /** Number of events, with those that `sections` leaves out. */
  readonly total: number
  /** The page on which the recipient chooses topics; null: unknown. */
  readonly settingsUrl: string | null
}

/** One e-mail for all events: plain text, and the same as simple HTML. */
export function composeMail(content: MailContent): Omit<Mail, 'to'> {
  return { subject: subjectOf(content), text: textOf(content), html: htmlOf(content) }
}

function subjectOf({ sections, topics, total }: MailContent): string {
  const [first] = sections.flatMap(({ messages }) => messages)
  if (total === 1 && first) return first.title
  const isOnly = (topic: NotificationTopic) => topics.every((other) => other === topic)
  if (isOnly('holds')) return `${total} held requests need a decision`
  if (isOnly('escalations')) return `${total} escalated requests need attention`
  if (isOnly('assigned')) return `${total} review items are assigned to you`
  if (isOnly('overdue')) return `${total} review items are overdue`
  return `${total} notifications from Gatehouse`
}

const FOOTER = 'You get this e-mail because of the notifications in your Gatehouse account.'

const shownOf = ({ sections }: MailContent): number => sections.reduce((sum, { messages }) => sum + messages.length, 0)

const restOf = (content: MailContent): readonly string[] => {
  const rest = content.total - shownOf(content)
  return rest > 0 ? [`And ${rest} more.`] : []
}

function textOf(content: MailContent): string {
  const sections = content.sections.map(({ workspace, messages }) =>
    [
      `Workspace ${workspace}`,
      ...messages.map(({ title, facts, url }) =>
        [`- ${title}`, ...(facts.length > 0 ? [`  ${facts.join(' · ')}`] : []), ...(url === null ? [] : [`  ${url}`])].join('\n'),
      ),
    ].join('\n\n'),
  )
  const footer = content.settingsUrl === null ? FOOTER : `${FOOTER}\nChange them: ${content.settingsUrl}`
  return [...sections, ...restOf(content), `--\n${footer}`].join('\n\n')
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

const linkTo = (url: string | null, label: string): string =>
  url === null ? '' : `<br><a href="${escapeHtml(url)}">${escapeHtml(label)}</a>`

function htmlOf(content: MailContent): string {
  const sections = content.sections.map(({ workspace, messages }) => {
    const items = messages.map(
      ({ title, facts, button, url }) =>
        `<li style="margin-bottom:12px"><strong>${escapeHtml(title)}</strong>${
          facts.length > 0 ? `<br>${escapeHtml(facts.join(' · '))}` : ''
        }${linkTo(url, button)}</li>`,
    )
    return `<h2 style="font-size:16px">Workspace ${escapeHtml(workspace)}</h2><ul>${items.join('')}</ul>`
  })
  const rest = restOf(content).map((text) => `<p>${text}</p>`)
  const footer = `<p style="color:#667085;font-size:12px">${FOOTER}${linkTo(content.settingsUrl, 'Change notifications')}</p>`
  return `<div style="font-family:sans-serif;font-size:14px">${[...sections, ...rest, footer].join('')}</div>`
}
