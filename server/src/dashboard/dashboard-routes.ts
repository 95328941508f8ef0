import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { apiReferenceRoutes } from './api-reference-routes.ts'
import { BUILD, readPage } from './build.ts'
import { pageHeaders } from './page-headers.ts'
import { siteRoutes } from './site-routes.ts'

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
