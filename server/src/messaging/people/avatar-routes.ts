import type { FastifyInstance } from 'fastify'
import { avatarSvg } from './avatar.ts'

/** Drawn from the name in the path and nothing else, so it needs no token: a browser sends none for a picture. */
export function avatarRoutes(app: FastifyInstance): void {
  const schema = {
    operationId: 'getAvatar',
    summary: 'The picture of a contact or group that has none of its own',
    tags: ['messaging'],
    response: { 200: { description: 'A picture.', content: { 'image/svg+xml': { schema: { type: 'string' } } } } },
  }
  app.get<{ Params: { name: string } }>('/v1/avatars/:name', { schema }, async (request, reply) =>
    reply
      .headers({
        'cache-control': 'public, max-age=86400, immutable',
        'content-security-policy': "default-src 'none'; sandbox",
      })
      .type('image/svg+xml; charset=utf-8')
      .serializer((svg: unknown) => svg as string)
      .send(avatarSvg(request.params.name)),
  )
}
