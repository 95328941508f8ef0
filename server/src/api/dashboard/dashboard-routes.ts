import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { apiReferenceRoutes } from './api-reference-routes.ts'
import { BUILD, readPage } from './build.ts'
import { siteRoutes } from './site-routes.ts'

/** Allows only resources of this server. Styles created at run time carry the nonce of the page; scripts cannot. */
const contentSecurityPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** The page is not cached, sends no referrer (its address may contain an invitation) and cannot be framed. */
const pageHeaders = (nonce: string) => ({
  'content-security-policy': contentSecurityPolicy(nonce),
  'cache-control': 'no-store',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
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
  await app.register(apiReferenceRoutes)
  await app.register(siteRoutes)
  app.get('/dashboard/*', { schema: { hide: true } }, async (_request, reply) => sendPage(reply))
  app.get('/dashboard', { schema: { hide: true } }, async (_request, reply) => reply.redirect('/dashboard/'))
  app.get('/', { schema: { hide: true } }, async ({ headers }, reply) =>
    reply.header('vary', 'accept').redirect(headers.accept?.includes('text/html') ? '/dashboard/' : '/docs/api/'),
  )
}

async function sendPage(reply: FastifyReply): Promise<FastifyReply> {
  const { html, nonce } = await readPage('index.html')
  return reply.headers(pageHeaders(nonce)).type('text/html; charset=utf-8').send(html)
}
