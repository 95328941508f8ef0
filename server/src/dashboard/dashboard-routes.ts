import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { GatehouseError } from '../errors.ts'
import { pageHeaders } from './page-headers.ts'

const BUILD = join(import.meta.dirname, '../../../dashboard/dist')

/** Where index.html wants the nonce of its styles. */
const NONCE_PLACE = '%NONCE%'

/** The dashboard's build: scripts and styles under names that change with their content, and one page for every path. */
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
  app.get('/dashboard/*', { schema: { hide: true } }, async (_request, reply) => sendPage(reply))
  app.get('/dashboard', { schema: { hide: true } }, async (_request, reply) => reply.redirect('/dashboard/'))
  app.get('/', { schema: { hide: true } }, async ({ headers }, reply) =>
    reply.header('vary', 'accept').redirect(headers.accept?.includes('text/html') ? '/dashboard/' : '/docs'),
  )
}

async function sendPage(reply: FastifyReply): Promise<FastifyReply> {
  const nonce = randomBytes(16).toString('base64')
  const page = await readFile(join(BUILD, 'index.html'), 'utf8').catch((cause) => {
    throw new GatehouseError('NOT_FOUND', { message: 'The dashboard has not been built: `npm start` does so.' }, cause)
  })
  return reply.headers(pageHeaders(nonce)).type('text/html; charset=utf-8').send(page.replaceAll(NONCE_PLACE, nonce))
}
