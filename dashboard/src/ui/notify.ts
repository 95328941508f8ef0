import { notifications } from '@mantine/notifications'
import { describeError } from './describe-error.ts'

/** Shows a short confirmation. */
export const notifySuccess = (message: string): void => void notifications.show({ message, color: 'green' })

/** Shows an error that belongs to no form field. For `onError` of a mutation. */
export function notifyError(error: unknown): void {
  const { message, requestId } = describeError(error)
  notifications.show({ title: 'Something went wrong', message: requestId ? `${message} (${requestId})` : message, color: 'red' })
}
