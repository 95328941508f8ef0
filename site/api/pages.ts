import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Operation, operations, VERSION } from './document.ts'
import { operationSection } from './operation.ts'

const FOLDER = join(import.meta.dirname, '../../docs/api')

/** Paths that have no page of their own, and the page that has their operations. */
const MERGED: Readonly<Record<string, string>> = {
  'access-tokens': 'users',
  departments: 'users',
  projects: 'users',
  keys: 'applications',
  demo: 'workspaces',
  setup: 'workspaces',
  'secret-keys': 'workspaces',
  session: 'operators',
  tokens: 'operators',
  views: 'operators',
  overview: 'usage',
  'provider-presets': 'providers',
  'policy-sets': 'policies',
  'policy-drafts': 'policies',
  'policy-tests': 'policies',
  'policy-templates': 'policies',
  reviewers: 'reviews',
  collections: 'knowledge',
  documents: 'knowledge',
  avatars: 'contacts',
  healthz: 'health',
  readyz: 'health',
  metrics: 'health',
}
const ADMIN_MERGED: Readonly<Record<string, string>> = { ...MERGED, models: 'providers' }
const TITLES: Readonly<Record<string, string>> = {
  'gateway-chat': 'Chat completions',
  'gateway-messages': 'Messages (Anthropic)',
  'server-health': 'Health and metrics',
}
const APIS: Readonly<Record<string, string>> = {
  gateway: 'Gateway API',
  messaging: 'Messaging API',
  admin: 'Admin API',
  server: 'Server',
}

interface ApiPage {
  /** `admin-users`: the page is /docs/api/admin-users. */
  readonly name: string
  readonly title: string
  readonly api: string
  readonly operations: readonly Operation[]
}

function pageOf({ tags: [tag = ''], path }: Operation): string {
  const words = path.split('#')[0]?.split('/') ?? []
  const word = words[tag === 'admin' ? 3 : tag === 'server' ? 1 : 2] ?? ''
  const merged = tag === 'admin' ? ADMIN_MERGED : MERGED
  return `${tag}-${merged[word] ?? word}`
}

const titleOf = (name: string): string => {
  const word = name.slice(name.indexOf('-') + 1).replaceAll('-', ' ')
  return TITLES[name] ?? word.charAt(0).toUpperCase() + word.slice(1)
}

const apiPages: readonly ApiPage[] = [...Map.groupBy(operations, pageOf)].map(([name, list]) => ({
  name,
  title: titleOf(name),
  api: APIS[name.split('-')[0] ?? ''] ?? 'API',
  operations: list,
}))

/** The sidebar of the reference: the pages of each API. */
export const API_SIDEBAR = [
  {
    text: 'API reference',
    items: [
      { text: 'Overview', link: '/api/' },
      { text: 'Back to the documents', link: '/' },
    ],
  },
  ...[...Map.groupBy(apiPages, ({ api }) => api)].map(([text, pages]) => ({
    text,
    items: pages.map(({ name, title }) => ({ text: title, link: `/api/${name}` })),
  })),
]

const page = ({ title, api, operations: list }: ApiPage): string =>
  [
    `# ${title}`,
    `${api}. [Overview of the API](index.md): addresses, credentials, errors and pages of lists.`,
    list.map((operation) => `- [${operation.summary}](#${operation.operationId ?? operation.path.slice(1)})`).join('\n'),
    ...list.map(operationSection),
  ].join('\n\n')

const overview = (): string =>
  [
    '# API reference',
    `Version ${VERSION}, ${operations.length} operations. Each one has an example request and an example response. [Build](../build/index.md) has programs in Node, Python and with curl, and <a href="/openapi.json" target="_self">/openapi.json</a> is the same as an OpenAPI 3.1 document of this server.`,
    ...[...Map.groupBy(apiPages, ({ api }) => api)].flatMap(([api, pages]) => [
      `## ${api}`,
      [
        '| page | operations |',
        '|---|---|',
        ...pages.map((each) => `| [${each.title}](${each.name}.md) | ${each.operations.length} |`),
      ].join('\n'),
    ]),
    COMMON,
  ].join('\n\n')

const COMMON = `## Credentials

Each request has \`Authorization: Bearer …\` with the key of an Application (\`gk_…\`, gateway), the access token of a user (\`gu_…\`, messaging) or an admin token
(\`ga_…\`, admin). The examples read them from \`GATEHOUSE_KEY\`, \`GATEHOUSE_TOKEN\` and \`GATEHOUSE_ADMIN\`, and the address of the server from \`GATEHOUSE_URL\`.
[Set up](../build/index.md) says where they come from.

## Errors

Every error is \`{"error": {"code", "message", "type", "param"}}\`, with \`audit_id\`, \`review_item_id\` and \`details\` where they apply. [Errors and
retries](../build/errors.md) shows how a program handles them, and [Errors](../errors.md) lists all codes.

## Lists

Lists have \`data\` and \`has_more\`. The gateway and the messaging API continue after an id (\`starting_after\`), the admin API with \`cursor\`, which is \`next_cursor\` of the
page before.

## Two operations of one path

\`POST /v1/messages\` with the header \`anthropic-version\`, or with a key in \`x-api-key\`, is [Anthropic's Messages API](gateway-messages.md). Without them it
[sends a message](messaging-messages.md) of the messaging API. In the OpenAPI document the first one has the path \`/v1/messages#anthropic\`: HTTP clients do not send what
follows \`#\`.`

/** Writes the pages of the reference into docs/api. An unchanged file keeps its time, so that no build starts. */
export function writeApiPages(): void {
  const files = [['index', overview()] as const, ...apiPages.map((each) => [each.name, page(each)] as const)]
  for (const [name, text] of files) {
    const path = join(FOLDER, `${name}.md`)
    if (!existsSync(path) || readFileSync(path, 'utf8') !== `${text}\n`) writeFileSync(path, `${text}\n`)
  }
}
