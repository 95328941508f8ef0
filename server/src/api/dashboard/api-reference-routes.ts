import type { FastifyInstance } from 'fastify'
import { readBuilt, readPage } from './build.ts'

/** The page shares its origin with the dashboard's cookie. Scalar creates its styles at run time, without a nonce. */
const referenceHeaders = (nonce: string) => ({
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    "style-src 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
})

/** `/docs/api/`: /openapi.json as a page for people. The dashboard's build includes it. */
export async function apiReferenceRoutes(app: FastifyInstance): Promise<void> {
  const hidden = { schema: { hide: true } }
  app.get('/docs/api', hidden, async (_request, reply) => reply.redirect('/docs/api/', 301))
  app.get('/docs/api/', hidden, async (_request, reply) => {
    const { html, nonce } = await readPage('reference/index.html')
    return reply.headers(referenceHeaders(nonce)).type('text/html; charset=utf-8').send(html)
  })
  app.get('/docs/api/js/scalar.js', hidden, async (_request, reply) =>
    reply.type('application/javascript; charset=utf-8').send(await readBuilt('reference/scalar.js')),
  )
  // Its address when the reference was at /docs/.
  app.get('/docs/js/scalar.js', hidden, async (_request, reply) => reply.redirect('/docs/api/js/scalar.js', 301))
}
