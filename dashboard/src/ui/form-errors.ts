import { describeError } from './describe-error.ts'
import { notifyError } from './notify.ts'

interface Form {
  readonly setFieldError: (path: string, error: string) => void
  readonly getValues: () => object
}

/** Shows a refusal at the field that it names (`param`), else as a notification. For `onError` of a form's change. */
export const showInForm =
  (form: Form) =>
  (error: unknown): void => {
    const { param } = error as { param?: string | null }
    const field = param?.split(/[.[]/)[0]
    if (!param || !field || !(field in form.getValues())) {
      notifyError(error)
      return
    }
    const { message } = describeError(error)
    form.setFieldError(field, message)
    // Of a field within a field: shown where the form has an input for that.
    if (param !== field) form.setFieldError(param, message)
    // Of an entry of a list: shown where the list is typed.
    const list = param.replace(/[.[]\d+\]?$/, '')
    if (list !== param && list !== field) form.setFieldError(list, message)
  }
