import { showInForm } from '../../ui/form-errors.ts'

/** As `showInForm`, for fields that the API has below `settings`. */
export const showInSettings =
  (form: Parameters<typeof showInForm>[0]) =>
  (error: unknown): void => {
    const { param } = error as { param?: string | null }
    const below = param?.startsWith('settings.') ? param.slice('settings.'.length).split(/[.[]/)[0] : undefined
    if (below !== undefined && below in form.getValues()) form.setFieldError(below, (error as Error).message)
    else showInForm(form)(error)
  }
