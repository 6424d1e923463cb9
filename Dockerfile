# syntax=docker/dockerfile:1

# The base images are not pinned by digest: each build includes their latest security fixes, and the
# tag of a release identifies its image.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
# Shown by /version. The image has no history.
ARG COMMIT=unknown
# The same files as in the archive: scripts/pack/program.ts.
RUN npm run pack && mv dist/release/ssl-backend-*/ /program

FROM node:24-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY --from=build /program ./
ENV NODE_ENV=production ENVIRONMENT=prod HOST=0.0.0.0 PORT=3000
USER node
EXPOSE 3000
# An outage of the database must not restart containers.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--"]
CMD ["node", "dist/program/main.js"]
