import { notifications } from '@mantine/notifications'
import i18next from 'i18next'
import { describeError } from './describe-error.ts'

/** Equal notifications do not stack: one that is shown gets the newer text. */
function show(id: string, shown: { readonly message: string; readonly color: string; readonly title?: string }): void {
  notifications.update({ id, ...shown })
  notifications.show({ id, ...shown })
}

/** Shows a short confirmation. */
export const notifySuccess = (message: string): void => show(`done: ${message}`, { message, color: 'green' })

/** Shows an error that belongs to no form field. For `onError` of a mutation. */
export function notifyError(error: unknown): void {
  const { message, requestId } = describeError(error)
  notifyFailure(i18next.t('ui:error.title'), message, requestId)
}

/** Shows an error with its own title. */
export const notifyFailure = (title: string, message: string, requestId: string | null = null): void =>
  show(`${title}: ${message}`, { title, message: requestId ? `${message} (${requestId})` : message, color: 'red' })
