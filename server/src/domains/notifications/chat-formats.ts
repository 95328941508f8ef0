import type { EventMessage } from './event-message.ts'

/** Slack reads these characters as markup of links and mentions. */
const escapeSlack = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `Rule payments · high risk` */
const factLine = (facts: readonly string[]): string => capitalized(facts.join(' · '))

/** Limits of Slack for a section and for the fallback text. */
const SLACK_TEXT = 3_000

/** Names are plain text, which has no links and mentions; only the fallback `text` is markup, and is escaped. */
export function toSlack({ title, facts, button, url }: EventMessage) {
  const plain = (text: string) => ({ type: 'plain_text', text: text.slice(0, SLACK_TEXT), emoji: false })
  return {
    text: escapeSlack([title, ...facts].join(' · ')),
    unfurl_links: false,
    blocks: [
      { type: 'section', text: plain(title) },
      ...(facts.length > 0 ? [{ type: 'context', elements: [plain(factLine(facts))] }] : []),
      ...(url === null ? [] : [{ type: 'actions', elements: [{ type: 'button', text: plain(button), url, style: 'primary' }] }]),
    ],
  }
}

/** Body of a Teams workflow that posts an Adaptive Card. Rich text blocks have no Markdown, so names cannot add links. */
export function toTeams({ title, facts, button, url }: EventMessage) {
  const block = (text: string, style: object) => ({ type: 'RichTextBlock', inlines: [{ type: 'TextRun', text, ...style }] })
  return {
    type: 'message',
    summary: title,
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            block(title, { weight: 'Bolder', size: 'Medium' }),
            ...(facts.length > 0 ? [block(factLine(facts), { isSubtle: true })] : []),
          ],
          actions: url === null ? [] : [{ type: 'Action.OpenUrl', title: button, url }],
        },
      },
    ],
  }
}
