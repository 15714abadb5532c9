const PREFIX = "replies "

/** Where this browser keeps the replies of a team. */
export const placeOf = (teamId: string | undefined) => PREFIX + teamId

/** Where it keeps those of every team. */
export const allPlaces = () => Object.keys(localStorage).filter((key) => key.startsWith(PREFIX))
