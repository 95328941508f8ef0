import { createRequire } from 'node:module'
import type { FastifyServerOptions } from 'fastify'

type Compilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>
type BuildSerializer = NonNullable<Compilers['buildSerializer']>

const requireOfFastify = createRequire(import.meta.resolve('fastify'))

/**
 * Fastify's own serializers, but each compiled when its first answer leaves: there are hundreds, most of them of errors, which
 * are sent without one, and at start nothing took longer than compiling them.
 */
const buildSerializer: BuildSerializer = (shared, options) => {
  let compile: ReturnType<BuildSerializer> | undefined
  return (route) => {
    let serialize: ReturnType<ReturnType<BuildSerializer>> | undefined
    return (answer) => {
      compile ??= (requireOfFastify('@fastify/fast-json-stringify-compiler') as () => BuildSerializer)()(shared, options)
      serialize ??= compile(route)
      return serialize(answer)
    }
  }
}

/** Stands in for Ajv, which then is not even loaded: the gateway and the operators' API have checks of their own. */
const buildValidator: NonNullable<Compilers['buildValidator']> = () => {
  throw new Error('a route whose requests have schemas needs a validator compiler set for it')
}

export const SCHEMA_COMPILERS: Compilers = { buildSerializer, buildValidator }
