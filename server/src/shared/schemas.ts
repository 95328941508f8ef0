import { type TSchema, Type } from 'typebox'

/** The error envelope (API-ERR-1). Routes refer to it, so that the OpenAPI document contains it once. */
export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object({
      code: Type.String(),
      message: Type.String(),
      type: Type.String({ description: "OpenAI's error type." }),
      param: Type.Union([Type.String(), Type.Null()], { description: 'Path of the invalid field.' }),
      audit_id: Type.Optional(Type.String()),
      review_item_id: Type.Optional(Type.String()),
      expires_at: Type.Optional(Type.String({ description: 'When the hold expires.' })),
      details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      doc_url: Type.String({ description: 'Cause and fix. A path of this server unless its public URL is set.' }),
    }),
  },
  { $id: 'Error', description: 'The error envelope of all routes.' },
)

export const nullable = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])

/** An object of a client or provider that this server passes on unchanged. */
export const Anything = Type.Object({}, { additionalProperties: true })

/** Marks a field with Unix time in seconds, which also accepts ISO 8601 dates. */
export const SECONDS = 'x-unix-seconds'
