import { useMediaQuery } from '@mantine/hooks'
import { Notifications } from '@mantine/notifications'
import classes from './notifications.module.css'

/** Windows whose end has no room for messages, because buttons are there. */
const SMALL = '(max-width: 48em), (max-height: 37.5em)'

/** Further messages wait. Four decisions that can be undone must not, nor the results of earlier ones. */
const MOST = 8

/** In a small window only the last message, at the top, so that it does not cover what is decided. */
export function NotificationList() {
  const isSmall = useMediaQuery(SMALL, false, { getInitialValueInEffect: false })
  return (
    <Notifications
      limit={MOST}
      position={isSmall ? 'top-center' : 'bottom-right'}
      classNames={{ notification: (isSmall && classes.single) || '' }}
    />
  )
}
