import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { GatehouseError } from '../../errors.ts'

const SITE = join(import.meta.dirname, '../../../../site/dist')

const PAGE = /^(?:[a-z0-9-]+\/)*[a-z0-9-]*$/

/** Headers of a page that loads what `sources` allows, and that cannot be framed. */
export const pageHeaders = (sources: Readonly<Record<string, string>>) => ({
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
export async function siteRoutes(app: FastifyInstance): Promise<void> {
  const hidden = { schema: { hide: true } }
  await app.register(fastifyStatic, { root: SITE, serve: false, preCompressed: true, suppressWarning: true, cacheControl: false })
  app.get('/docs', hidden, async (_request, reply) => reply.redirect('/docs/', 301))
  app.get<{ Params: { name: string } }>('/docs/assets/*', hidden, async (request, reply) =>
    reply.header('cache-control', 'public, max-age=31536000, immutable').sendFile(`assets/${pathOf(request.params)}`),
  )
  for (const name of ['code.css', 'vp-icons.css', 'hashmap.json'])
    app.get(`/docs/${name}`, hidden, async (_request, reply) => reply.header('cache-control', 'no-cache').sendFile(name))
  app.get('/docs/*', hidden, async ({ params, headers }, reply) => sendPage(reply, pathOf(params), headers.accept))
}

const pathOf = (params: unknown): string => (params as { '*': string })['*']

async function sendPage(reply: FastifyReply, path: string, accept = ''): Promise<FastifyReply> {
  const name = path.replace(/\.html$/, '')
  if (name !== path && PAGE.test(name)) return reply.redirect(`/docs/${name.replace(/(^|\/)index$/, '$1')}`, 301)
  const hashes = await readFile(join(SITE, 'script-hashes.json'), 'utf8').catch((cause) => {
    throw new GatehouseError('NOT_FOUND', { message: 'The documents are not built. Run `npm start` to build them.' }, cause)
  })
  const file = PAGE.test(path) ? `${path}${path === '' || path.endsWith('/') ? 'index' : ''}.html` : undefined
  const exists =
    file !== undefined &&
    (await readFile(join(SITE, file)).then(
      () => true,
      () => false,
    ))
  if (!exists && !accept.includes('text/html')) throw new GatehouseError('NOT_FOUND')
  reply.headers(siteHeaders(JSON.parse(hashes) as string[])).header('cache-control', 'no-cache')
  return exists ? reply.sendFile(file) : reply.code(404).sendFile('404.html')
}
