import { notifications } from '@mantine/notifications'
import { describeError } from './describe-error.ts'

/** Says briefly that something was done. */
export const notifyDone = (message: string): void => void notifications.show({ message, color: 'green' })

/** Says what failed, where no form is there to show it. For `onError` of a change. */
export function notifyError(error: unknown): void {
  const { message, requestId } = describeError(error)
  notifications.show({ title: 'That did not work', message: requestId ? `${message} (${requestId})` : message, color: 'red' })
}
