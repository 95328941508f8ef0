import { useNotifications } from '@mantine/notifications'
import { lazy, Suspense } from 'react'

const List = lazy(async () => ({ default: (await import('./notification-list.tsx')).NotificationList }))

/** Shows notifications. Their component is loaded with the first one. */
export function Notifications() {
  const { notifications } = useNotifications()
  return (
    notifications.length > 0 && (
      <Suspense>
        <List />
      </Suspense>
    )
  )
}
