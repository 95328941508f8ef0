import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { GatehouseError } from '../../errors.ts'

const SITE = fileURLToPath(new URL('../../../../site/dist', import.meta.url))

/** Pages that have another address now. */
const MOVED: Readonly<Record<string, string>> = { api: 'api/', 'guides/messaging': 'build/conversations' }

const PAGE = /^(?:[a-z0-9-]+\/)*[a-z0-9-]*$/
const EXAMPLE = /^examples\/(?:[a-z0-9-]+\/)*[a-z0-9-]+\.(?:yaml|ts|md)$/
const MARKDOWN = /^(?:[a-z0-9-]+\/)*(?:[a-z0-9-]+|README)\.md$/

/** Headers of a page that loads what `sources` allows, and that cannot be framed. */
const pageHeaders = (sources: Readonly<Record<string, string>>) => ({
  'content-security-policy': [
    "default-src 'none'",
    ...Object.entries(sources).map((source) => source.join(' ')),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
})

/** The few inline scripts of the pages are known when the site is built. */
const siteHeaders = (scriptHashes: readonly string[]) =>
  pageHeaders({
    'script-src': `'self' ${scriptHashes.map((hash) => `'${hash}'`).join(' ')}`,
    'style-src': "'self'",
    'img-src': "'self' data:",
    'font-src': "'self'",
    'connect-src': "'self'",
    'form-action': "'none'",
  })

/** `/docs/`: the documents as a site. Assets have content hashes in their names; browsers ask whether a page has changed. */
async function siteRoutes(app: FastifyInstance): Promise<void> {
  const hidden = { schema: { hide: true } }
  await app.register(fastifyStatic, { root: SITE, serve: false, preCompressed: true, suppressWarning: true, cacheControl: false })
  app.get('/docs', hidden, async (_request, reply) => reply.redirect('/docs/', 301))
  app.get<{ Params: { name: string } }>('/docs/assets/*', hidden, async (request, reply) =>
    reply.header('cache-control', 'public, max-age=31536000, immutable').sendFile(`assets/${pathOf(request.params)}`),
  )
  app.get('/llms.txt', hidden, async (_request, reply) => reply.redirect('/docs/llms.txt'))
  for (const name of ['code.css', 'vp-icons.css', 'hashmap.json', 'llms.txt'])
    app.get(`/docs/${name}`, hidden, async (_request, reply) => reply.header('cache-control', 'no-cache').sendFile(name))
  app.get('/docs/*', hidden, async ({ params, headers }, reply) => sendSitePage(reply, pathOf(params), headers.accept))
}

const pathOf = (params: unknown): string => (params as { '*': string })['*']

async function sendSitePage(reply: FastifyReply, path: string, accept = ''): Promise<FastifyReply> {
  const name = path.replace(/\.html$/, '')
  const moved = MOVED[name]
  if (moved !== undefined) return reply.redirect(`/docs/${moved}`, 301)
  if (name !== path && PAGE.test(name)) return reply.redirect(`/docs/${name.replace(/(^|\/)index$/, '$1')}`, 301)
  const hashes = await readFile(join(SITE, 'script-hashes.json'), 'utf8').catch((cause) => {
    throw new GatehouseError(
      'NOT_FOUND',
      { message: 'The documents are not built. `npm start` builds them, and says why if that fails.' },
      cause,
    )
  })
  const file = fileOf(path)
  const content = file === undefined ? undefined : await readFile(join(SITE, file)).catch(() => undefined)
  if (content === undefined && !accept.includes('text/html')) throw new GatehouseError('NOT_FOUND')
  reply.headers(siteHeaders(JSON.parse(hashes) as string[])).header('cache-control', 'no-cache')
  if (file === undefined || content === undefined) return reply.code(404).sendFile('404.html')
  if (file.endsWith('.html')) return reply.sendFile(file)
  return reply.type(`text/${file.endsWith('.md') ? 'markdown' : 'plain'}; charset=utf-8`).send(content)
}

/** `guides/deploy` is a page, `guides/deploy.md` its Markdown, and `examples/policies/demo.yaml` a file to which pages lead. */
function fileOf(path: string): string | undefined {
  if (MARKDOWN.test(path) || EXAMPLE.test(path)) return path
  return PAGE.test(path) ? `${path}${path === '' || path.endsWith('/') ? 'index' : ''}.html` : undefined
}

/** Where `scripts/build-dashboard.mjs` puts the dashboard. */
const BUILD = fileURLToPath(new URL('../../../../dashboard/dist', import.meta.url))

const readBuilt = (path: string): Promise<string> =>
  readFile(join(BUILD, path), 'utf8').catch((cause) => {
    throw new GatehouseError('NOT_FOUND', { message: 'The dashboard is not built. Run `npm start` to build it.' }, cause)
  })

async function readPage(path: string): Promise<{ readonly html: string; readonly nonce: string }> {
  const nonce = randomBytes(16).toString('base64')
  return { html: (await readBuilt(path)).replaceAll('%NONCE%', nonce), nonce }
}

/** The page is not cached, sends no referrer (its address may contain an invitation) and cannot be framed. */
const dashboardHeaders = (nonce: string) => ({
  // Styles created at run time carry the nonce of the page; scripts cannot.
  ...pageHeaders({
    'script-src': "'self'",
    'style-src': `'self' 'nonce-${nonce}'`,
    'img-src': "'self' data: blob:",
    'font-src': "'self'",
    'connect-src': "'self'",
    'form-action': "'self'",
  }),
  'cache-control': 'no-store',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
})

/** Serves the dashboard's build: assets with content hashes in their names, and the same page for every path. */
export async function dashboardRoutes(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, {
    root: join(BUILD, 'assets'),
    prefix: '/dashboard/assets/',
    preCompressed: true,
    index: false,
    immutable: true,
    maxAge: '1y',
    suppressWarning: true,
  })
  await app.register(siteRoutes)
  app.get('/dashboard/*', { schema: { hide: true } }, async (_request, reply) => sendPage(reply))
  app.get('/dashboard', { schema: { hide: true } }, async (_request, reply) => reply.redirect('/dashboard/'))
  app.get('/', { schema: { hide: true } }, async ({ headers }, reply) =>
    reply.header('vary', 'accept').redirect(headers.accept?.includes('text/html') ? '/dashboard/' : '/docs/api/'),
  )
}

async function sendPage(reply: FastifyReply): Promise<FastifyReply> {
  const { html, nonce } = await readPage('index.html')
  return reply.headers(dashboardHeaders(nonce)).type('text/html; charset=utf-8').send(html)
}
