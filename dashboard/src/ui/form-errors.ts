import { describeError } from './describe-error.ts'
import { notifyError } from './notify.ts'

interface Form {
  readonly setFieldError: (path: string, error: string) => void
  readonly getValues: () => object
}

/** The text for the field: the API names the field first, which the place of the error shows, so `id: must be …` becomes `Must be …`. */
export function fieldMessage(error: unknown): string {
  const { message } = describeError(error)
  const { param } = error as { param?: string | null }
  const text = param && message.startsWith(`${param}: `) ? message.slice(param.length + 2) : message
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Shows an error at the field in its `param`, otherwise as a notification. For `onError` of a form's mutation. */
export const showFormError =
  (form: Form) =>
  (error: unknown): void => {
    const { param } = error as { param?: string | null }
    const field = param?.split(/[.[]/)[0]
    if (!param || !field || !(field in form.getValues())) {
      notifyError(error)
      return
    }
    const message = fieldMessage(error)
    form.setFieldError(field, message)
    // Nested field: shown if the form has an input for it.
    if (param !== field) form.setFieldError(param, message)
    // Item of a list: shown at the input of the list.
    const list = param.replace(/[.[]\d+\]?$/, '')
    if (list !== param && list !== field) form.setFieldError(list, message)
  }
