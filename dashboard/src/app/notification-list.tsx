import { Notifications } from '@mantine/notifications'

export const NotificationList = () => <Notifications position="top-right" />
