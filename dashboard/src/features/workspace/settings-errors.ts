import { fieldMessage, showFormError } from '../../ui/form-errors.ts'

/** As `showInForm`, for fields that the API has below `settings`. */
export const showSettingsError =
  (form: Parameters<typeof showFormError>[0]) =>
  (error: unknown): void => {
    const { param } = error as { param?: string | null }
    const field = param?.startsWith('settings.') ? param.slice('settings.'.length).split(/[.[]/)[0] : undefined
    if (field !== undefined && field in form.getValues()) form.setFieldError(field, fieldMessage(error))
    else showFormError(form)(error)
  }
