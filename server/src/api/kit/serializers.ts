import { createRequire } from 'node:module'
import type { FastifyServerOptions } from 'fastify'

type Compilers = NonNullable<NonNullable<FastifyServerOptions['schemaController']>['compilersFactory']>
type BuildSerializer = NonNullable<Compilers['buildSerializer']>

const requireOfFastify = createRequire(import.meta.resolve('fastify'))

/** Each is compiled for its first response: compiling hundreds, most for errors that do not use one, took longest at start. */
const buildSerializer: BuildSerializer = (shared, options) => {
  let compile: ReturnType<BuildSerializer> | undefined
  return (route) => {
    let serialize: ReturnType<ReturnType<BuildSerializer>> | undefined
    return (response) => {
      compile ??= (requireOfFastify('@fastify/fast-json-stringify-compiler') as () => BuildSerializer)()(shared, options)
      serialize ??= compile(route)
      return serialize(response)
    }
  }
}

/** Replaces Ajv, which is then not loaded: each API sets its own validator compiler. */
const buildValidator: NonNullable<Compilers['buildValidator']> = () => {
  throw new Error('a route with request schemas needs a validator compiler')
}

export const SCHEMA_COMPILERS: Compilers = { buildSerializer, buildValidator }
