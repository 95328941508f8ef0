import type { FastifyRequest } from 'fastify'

const HOST = /^[\w.-]+(:\d{1,5})?$|^\[[\da-f:.]+\](:\d{1,5})?$/i

/** `http://host` as the caller wrote it, so that the URLs in its answer lead where it came from. */
export function baseOf({ protocol, host, socket }: Pick<FastifyRequest, 'protocol' | 'host' | 'socket'>): string {
  return `${protocol}://${HOST.test(host) ? host : `localhost:${socket.localPort ?? 80}`}`
}
