import { notifications } from '@mantine/notifications'
import i18next from 'i18next'
import { describeError } from './describe-error.ts'

/** Shows a short confirmation. */
export const notifySuccess = (message: string): void => void notifications.show({ message, color: 'green' })

/** Shows an error that belongs to no form field. For `onError` of a mutation. */
export function notifyError(error: unknown): void {
  const { message, requestId } = describeError(error)
  notifications.show({
    title: i18next.t('ui:error.title'),
    message: requestId ? `${message} (${requestId})` : message,
    color: 'red',
  })
}
