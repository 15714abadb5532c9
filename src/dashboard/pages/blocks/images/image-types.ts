export const IMAGE_TYPES = "image/png,image/jpeg,image/gif,image/webp"
