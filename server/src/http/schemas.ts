import { Type } from 'typebox'

/** The one envelope (gateway-api.md, Errors); routes refer to it, so that the document holds it once. */
export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object({
      code: Type.String(),
      message: Type.String(),
      type: Type.String({ description: "OpenAI's word for the kind of error." }),
      param: Type.Union([Type.String(), Type.Null()], { description: 'Path of the offending field.' }),
      audit_id: Type.Optional(Type.String()),
      review_item_id: Type.Optional(Type.String()),
      details: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
  },
  { $id: 'Error', description: 'The one error envelope of every route.' },
)

/** `401: …, 404: …` for a route's documentation. */
export const errorResponses = (descriptions: Readonly<Record<number, string>>) =>
  Object.fromEntries(Object.entries(descriptions).map(([status, description]) => [status, { $ref: 'Error#', description }]))
