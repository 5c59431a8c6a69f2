# The command and the library: docker build -t saltus . && docker run --rm -v "$PWD:/work" saltus saltus run model.lua
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev make lua5.4 liblua5.4-dev pkg-config
WORKDIR /project
COPY . .
RUN make -s install PREFIX=/usr/local

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends lua5.4 liblua5.4-0 && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/local /usr/local
RUN ldconfig
WORKDIR /work
CMD ["saltus"]
